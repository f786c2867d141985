"""Who is asking, what they may do, and which accounts they may see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from fastapi import Request

from reconciler.typed_command import typed_command

from .refusals import Refused


class Scope(StrEnum):
    """What a principal may do. *Closed.*"""

    READ = "read"  # see documents; a read may look at the API, never create
    PUBLISH = "publish"  # submit, publish, cancel
    RESOLVE = "resolve"  # decide about what is held
    ADMIN = "admin"  # everything, and the figures of the service


IMPLIED: Final = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.PUBLISH: frozenset({Scope.READ, Scope.PUBLISH}),
    Scope.RESOLVE: frozenset({Scope.READ, Scope.RESOLVE}),
    Scope.ADMIN: frozenset(Scope),
}
"""Who may change a document may see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Somebody who was recognised. `name` stands in the journal beside what they decide.

    `accounts` are those they may see, with their `act_`; None: all.
    """

    name: str
    scopes: frozenset[Scope]
    accounts: frozenset[str] | None = None

    @classmethod
    def everything(cls, name: str) -> Principal:
        """May do all, everywhere."""
        return cls(name=name, scopes=frozenset({Scope.ADMIN}))

    def may(self, scope: Scope) -> bool:
        """Whether one of their scopes is this one, or implies it."""
        return any(scope in IMPLIED[held] for held in self.scopes)

    def sees(self, account_id: str) -> bool:
        """With or without its `act_`."""
        return self.accounts is None or f"act_{account_id.removeprefix('act_')}" in self.accounts


Access = Callable[[Request], Awaitable[Principal]]
"""Says who is asking. Raises `Refused` where nobody is recognised."""


SEND_A_KEY: Final = "send Authorization: Bearer KEY; reconciler key create makes one"


def unrecognised(detail: str, *, next_step: str = SEND_A_KEY) -> Refused:
    """Nobody is let in; says how to ask again."""
    return Refused(
        "unauthenticated",
        detail,
        next_step=next_step,
        headers={"WWW-Authenticate": 'Bearer realm="reconciler"'},
    )


def require(principal: Principal, scope: Scope) -> None:
    """Raise `Refused` where they may not."""
    if not principal.may(scope):
        raise Refused(
            "forbidden",
            f"this takes the scope {scope.value}",
            next_step="ask for a key with it "
            f"({typed_command('key create', options=f'--scope {scope.value}')}), "
            "or for the claim that gives it to a token",
        )
