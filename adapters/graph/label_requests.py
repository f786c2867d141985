"""Builds the requests of the echo trial: one label made, looked for in two ways, and removed."""

from __future__ import annotations

import json

from .form import form_body
from .paths import Edge, Endpoint, Unsendable, account_path
from .request_class import RequestKind
from .requests import FORM
from .sending import Outgoing
from .text import id_text
from .tokens import Keyring


def create_label(
    endpoint: Endpoint, keyring: Keyring, account_id: str, name: str
) -> Outgoing | None:
    """The POST of one ad label. None: no token. Raises `Unsendable`."""
    path, credentials = account_path(account_id), keyring.credentials(account_id)
    if credentials is None:
        return None
    return Outgoing(
        kind=RequestKind.TRIAL,
        method="POST",
        url=endpoint.url(f"{path}/adlabels"),
        headers={**credentials.header, **FORM},
        body=form_body({"name": name}, credentials.parameters),
    )


def delete_label(
    endpoint: Endpoint, keyring: Keyring, account_id: str, label_id: str
) -> Outgoing | None:
    """The DELETE of one ad label, whose id came with its own create (facts 4.5)."""
    credentials = keyring.credentials(account_id)
    if id_text(label_id) is None:
        raise Unsendable("no id of a label")
    if credentials is None:
        return None
    return Outgoing(
        kind=RequestKind.TRIAL,
        method="DELETE",
        url=endpoint.url(label_id, credentials.parameters),
        headers=credentials.header,
    )


def ads_by_label_edge(account_id: str, label_id: str) -> Edge:
    """The account's ads that bear a label (facts 4.25). Raises `Unsendable`."""
    path = account_path(account_id)
    return Edge(path, f"{path}/adsbylabels", {"ad_label_ids": json.dumps([label_id])})
