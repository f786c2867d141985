"""What a token says: for whom it is, how long, who asks, what they may, which accounts they see."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from reconciler.errors import InvalidSettings

from ...settings import Settings
from ..access import Principal, Scope
from .token import InvalidToken

LEEWAY_SECONDS: Final = 30.0
"""How far the issuer's clock and ours may differ."""

FAR_AWAY: Final = 1e11
"""In seconds: some three thousand years."""

NAME_LENGTH_MAX: Final = 100
EVERY_ACCOUNT: Final = "*"
_ACCOUNT: Final = re.compile(r"(?:act_)?(?P<digits>[1-9][0-9]{0,31})")

PLAIN_SCOPES: Final = {f"reconciler:{scope.value}": scope for scope in Scope}
"""Which word gives which scope, where the settings say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """How the tokens of one issuer are read. `accounts` None: whoever is let in sees all."""

    issuer: str
    audience: str
    name: str = "sub"
    scope: str = "scope"
    scopes: Mapping[str, Scope]
    accounts: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Claims:
        """By settings that name an issuer. Raises `InvalidSettings`."""
        return cls(
            issuer=settings.oidc_issuer or "",
            audience=settings.oidc_audience or "",
            name=settings.oidc_name_claim,
            scope=settings.oidc_scope_claim,
            scopes=_scopes(settings.oidc_scopes),
            accounts=settings.oidc_accounts_claim,
        )

    def principal(self, claims: Mapping[str, Any], now: datetime) -> Principal:
        """Who asks. One without a word that we know may do nothing. Raises `InvalidToken`."""
        if claims.get("iss") != self.issuer:
            raise InvalidToken("is of another issuer")
        if self.audience not in _listed(claims.get("aud")):
            raise InvalidToken("was made for another service")
        _refuse_other_times(claims, now.timestamp())
        words = _words(_at(claims, self.scope))
        return Principal(
            name=f"{self._name_in(claims)} ({urlsplit(self.issuer).hostname})",
            scopes=frozenset(self.scopes[word] for word in words if word in self.scopes),
            accounts=self._accounts_in(claims),
        )

    def _name_in(self, claims: Mapping[str, Any]) -> str:
        name = _at(claims, self.name)
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InvalidToken("does not say who asks")
        return name.strip()[:NAME_LENGTH_MAX]

    def _accounts_in(self, claims: Mapping[str, Any]) -> frozenset[str] | None:
        """One that names none sees none."""
        words = None if self.accounts is None else _words(_at(claims, self.accounts))
        if words is None or EVERY_ACCOUNT in words:
            return None
        matches = map(_ACCOUNT.fullmatch, words)
        return frozenset(f"act_{match['digits']}" for match in matches if match)


def _scopes(given: Mapping[str, str] | None) -> Mapping[str, Scope]:
    if given is None:
        return PLAIN_SCOPES
    try:
        return {word: Scope(scope) for word, scope in given.items()}
    except ValueError as error:
        raise InvalidSettings(
            f"RECONCILER_OIDC_SCOPES: {error}", next_step=f"scopes are {', '.join(Scope)}"
        ) from None


def _refuse_other_times(claims: Mapping[str, Any], now: float) -> None:
    """`exp` and `iat` must be there: one that never ends is not accepted."""
    begins = _second(claims, "nbf") if "nbf" in claims else -math.inf
    if now >= _second(claims, "exp") + LEEWAY_SECONDS:
        raise InvalidToken("has ended")
    if max(begins, _second(claims, "iat")) > now + LEEWAY_SECONDS:
        raise InvalidToken("does not begin yet")


def _second(claims: Mapping[str, Any], name: str) -> float:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < FAR_AWAY:
        raise InvalidToken(f"has no {name} that is a time")
    return value


def _at(claims: Mapping[str, Any], name: str) -> Any:
    """The claim of this name, which may be an address; else the one that its dots lead to."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _listed(value: Any) -> list[str]:
    """One text, or the texts of a list."""
    each = value if isinstance(value, list) else [value]
    return [one for one in each if isinstance(one, str)]


def _words(value: Any) -> frozenset[str]:
    """A list's texts as they are; of one text, the words."""
    return frozenset(value.split() if isinstance(value, str) else _listed(value))
