"""Where a request is let in: who asks, whether they may, how often, whose document it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from fastapi import Request
from fastapi.openapi.models import HTTPBearer as HTTPBearerModel
from fastapi.security.base import SecurityBase

from reconciler.errors import UnknownDocument

from ..bootstrap import Reconciler
from .access import Access, Principal, Scope, require
from .pace import Pace
from .service import Service

BEARER: Final = HTTPBearerModel(
    description="A key of `reconciler key create`, or a token of the company's own sign-in."
)
"""Told in the OpenAPI document. Who asks is said by `Access`, which may read anything."""


LOOK_GOES_ON: Final = timedelta(minutes=5)
"""After the answer, so that reading recovers also where a listing takes longer than one waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the routes share."""

    service: Service
    access: Access
    pace: Pace = field(default_factory=Pace)

    @property
    def product(self) -> Reconciler:
        """The opened product."""
        return self.service.product

    def needs(self, scope: Scope) -> LetIn:
        """A dependency that lets in who holds the scope, before anything of the request is read."""
        return LetIn(self, scope)

    async def admit(self, request: Request, document_id: str) -> Principal:
        """Who asks about this document. Another account's is as unknown as none."""
        principal: Principal = request.state.principal
        if principal.accounts is not None:
            account_id = await self.service.account_of(document_id)
            if not principal.sees(account_id):
                raise UnknownDocument(f"there is no document {document_id}")
        return principal


class LetIn(SecurityBase):
    """Lets in who holds a scope, and declares itself: a dependency of its own for that would cost
    each request as much as the rest of them."""

    def __init__(self, desk: Desk, scope: Scope) -> None:
        self._desk = desk
        self._scope = scope
        self.model = BEARER
        self.scheme_name = "key"

    async def __call__(self, request: Request) -> None:
        """Raises `Refused`."""
        principal = await self._desk.access(request)
        self._desk.pace.spend(principal.name)
        require(principal, self._scope)
        request.state.principal = principal
