"""Who may press what: a page shows a button to everybody, and lets those press who hold a scope."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import Request

from ..access import Principal, Scope, require


def require_one(request: Request, scopes: Collection[Scope]) -> Principal:
    """Who asks. Raises `Refused` unless they hold one of the scopes."""
    principal: Principal = request.state.principal
    if not any(map(principal.may, scopes)):
        require(principal, min(scopes))
    return principal
