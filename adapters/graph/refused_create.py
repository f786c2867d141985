"""A create that the API must refuse, for the recorder: twice kept from making anything."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from .paths import Endpoint, account_path
from .request_class import RequestKind
from .requests import FORM
from .sending import Outgoing
from .tokens import Keyring

PARAMS: Final = {
    "objective": "RECORDER_ASKS_FOR_A_REFUSAL",
    "status": "PAUSED",
    "execution_options": '["validate_only"]',
}
"""No such objective, neither name nor special_ad_categories (facts 4.1), validation only (4.7)."""


def refused_create(endpoint: Endpoint, keyring: Keyring, account_id: str) -> Outgoing | None:
    """The POST. None: no token. Raises `Unsendable`."""
    path, credentials = account_path(account_id), keyring.credentials(account_id)
    if credentials is None:
        return None
    return Outgoing(
        kind=RequestKind.TRIAL,
        method="POST",
        url=endpoint.url(f"{path}/campaigns"),
        headers={**credentials.header, **FORM},
        body=urlencode({**PARAMS, **credentials.parameters}).encode(),
    )
