"""Builds every request the product sends: three GETs, two POSTs, each with its credentials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from reconciler.call_outcome import CreateRequest

from .create_batch import BATCH_PATH, batch_body
from .form import form_body
from .paths import Edge, Endpoint, create_path
from .request_class import RequestKind
from .sending import Outgoing
from .tokens import Keyring

FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


class Requests:
    """Each method returns None where the account has no usable token; it may raise `Unsendable`."""

    def __init__(self, endpoint: Endpoint, keyring: Keyring) -> None:
        self._endpoint = endpoint
        self._keyring = keyring

    def create(self, request: CreateRequest) -> Outgoing | None:
        """The POST of one create, as a form (facts 4.6)."""
        path = create_path(request.account_id, request.kind)
        credentials = self._keyring.credentials(request.account_id)
        if credentials is None:
            return None
        return Outgoing(
            kind=RequestKind.CREATE,
            method="POST",
            url=self._endpoint.url(path),
            headers={**credentials.header, **FORM},
            body=form_body(request.params, credentials.parameters),
        )

    def create_many(
        self, account_id: str, operations: Sequence[Mapping[str, Any]]
    ) -> Outgoing | None:
        """The POST of several creates of one account, each made by `create_batch.operation`."""
        credentials = self._keyring.credentials(account_id)
        if credentials is None:
            return None
        return Outgoing(
            kind=RequestKind.BATCH,
            method="POST",
            url=self._endpoint.url(BATCH_PATH),
            headers={**credentials.header, **FORM},
            body=batch_body(operations, credentials.parameters),
        )

    def page(self, edge: Edge, page: Mapping[str, str]) -> Outgoing | None:
        """The GET of one page: always built here, never taken from a `next` link (R030, R097)."""
        credentials = self._keyring.credentials(edge.account_id)
        if credentials is None:
            return None
        query = {**edge.parameters, **page, **credentials.parameters}
        return Outgoing(
            kind=RequestKind.READ,
            method="GET",
            url=self._endpoint.url(edge.path, query),
            headers=credentials.header,
        )
