"""Where a request is let in: who asks, whether they may, how often, whose document it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from reconciler.errors import UnknownDocument

from ..bootstrap import Reconciler
from .access import Access, Principal, Scope, require
from .pace import Pace
from .service import Service

BEARER: Final = HTTPBearer(
    auto_error=False, scheme_name="key", description="A key of `reconciler key create`."
)
"""Declares it in the OpenAPI document. Who asks is said by `Access`, which may read anything."""


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

    def needs(self, scope: Scope) -> Callable[..., Awaitable[None]]:
        """A dependency that lets in who holds the scope, before anything of the request is read."""

        async def let_in(
            request: Request,
            _: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)] = None,
        ) -> None:
            principal = await self.access(request)
            self.pace.spend(principal.name)
            require(principal, scope)
            request.state.principal = principal

        return let_in

    async def admit(self, request: Request, document_id: str) -> Principal:
        """Who asks about this document. Another account's is as unknown as none."""
        principal: Principal = request.state.principal
        if principal.accounts is not None:
            account_id = await self.service.account_of(document_id)
            if not principal.sees(account_id):
                raise UnknownDocument(f"there is no document {document_id}")
        return principal
