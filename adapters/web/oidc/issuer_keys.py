"""The issuer's keys, as it last told them, and how long they may be gone by."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from ..keys import Now
from ..refusals import Refused

LOG = logging.getLogger(__name__)

FRESH_FOR: Final = timedelta(minutes=10)
"""Then they are asked for again: a key that the issuer took back opens nothing after that."""

KNOWN_FOR: Final = timedelta(hours=24)
"""As long they are gone by while the issuer does not answer; after that they open nothing."""

ASKED_EVERY: Final = timedelta(seconds=30)
"""A token that names a key nobody knows makes us ask, but no more often than this."""

KEYS_MAX: Final = 100
RSA_BITS_MIN: Final = 2048

ALGORITHMS: Final = {"RS256": "RSA", "ES256": "EC"}
"""With a key that the issuer alone has, so never `HS…`, and never `none`. What kind each is of."""

Key = Any  # of PyJWT, which is imported where it is used
KeyPlace = tuple[str, str]  # its id and the algorithm

Fetch = Callable[[], Awaitable[Sequence[Mapping[str, Any]]]]
"""Asks the issuer for its keys. Raises `IssuerUnavailable`."""


class IssuerUnavailable(Exception):
    """It does not say what its keys are; bears why."""


class IssuerKeys:
    """Asked for when they are first needed, and again when they are old or one is not known."""

    def __init__(self, fetch: Fetch, now: Now) -> None:
        self._fetch = fetch
        self._now = now
        self._keys: dict[KeyPlace, Key] = {}
        self._told_at: datetime | None = None
        self._asked_at: datetime | None = None
        self._asking = asyncio.Lock()

    async def find(self, key_id: str, algorithm: str) -> Key | None:
        """The key, None where the issuer has none such. Raises `Refused`, 503, where it does not
        say, and nothing it said before is still good."""
        key = self._known().get((key_id, algorithm))
        if key is None or (self._is_older(self._told_at, FRESH_FOR) and not self._asking.locked()):
            async with self._asking:
                await self._ask_again()
            key = self._known().get((key_id, algorithm))
        if key is None and not self._known():
            raise _unavailable()
        return key

    def _known(self) -> Mapping[KeyPlace, Key]:
        return {} if self._is_older(self._told_at, KNOWN_FOR) else self._keys

    def _is_older(self, moment: datetime | None, age: timedelta) -> bool:
        """Also by a clock that was put back."""
        return moment is None or not timedelta(0) <= self._now() - moment < age

    async def _ask_again(self) -> None:
        if not self._is_older(self._asked_at, ASKED_EVERY):
            return
        self._asked_at = self._now()
        try:
            told = await self._fetch()
        except IssuerUnavailable as error:
            LOG.warning("the issuer's keys cannot be read: %s", error)
            return
        self._keys = dict(usable(told))
        self._told_at = self._now()


def usable(told: Sequence[Mapping[str, Any]]) -> Iterator[tuple[KeyPlace, Key]]:
    """Those with an id that are for signatures of a kind we allow; others are passed by."""
    for shape in told[:KEYS_MAX]:
        for algorithm, kind in ALGORITHMS.items():
            key = _key(shape, algorithm) if shape.get("kty") == kind else None
            if key is not None:
                yield (shape["kid"], algorithm), key


def _key(shape: Mapping[str, Any], algorithm: str) -> Key | None:
    import jwt

    is_for_this = shape.get("alg", algorithm) == algorithm and shape.get("use", "sig") == "sig"
    if not is_for_this or not isinstance(shape.get("kid"), str):
        return None
    public = {name: value for name, value in shape.items() if name != "d"}
    try:
        key = jwt.PyJWK(public, algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    is_strong = algorithm == "ES256" or key.key.key_size >= RSA_BITS_MIN
    fits = algorithm != "ES256" or key.key.curve.name == "secp256r1"
    return key if is_strong and fits else None


def _unavailable() -> Refused:
    seconds = int(ASKED_EVERY.total_seconds())
    return Refused(
        "issuer_unavailable",
        "the issuer of the token does not say what its keys are",
        next_step=f"send it again in {seconds} s; a key of reconciler key create opens meanwhile",
        headers={"Retry-After": str(seconds)},
    )
