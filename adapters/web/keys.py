"""API keys: how one is made, what is kept of it, and who it says is asking.

A key is 256 bits of chance behind a readable part by which it is found. Nobody can guess one, so a
fast digest is enough: there is no weak word to slow a search for.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from fastapi import Request

from ..store.keys import KeptKey
from .access import Principal, Scope, unrecognised
from .pace import Pace
from .service import Service

PREFIX: Final = "rk"
ID_BYTES: Final = 5
SECRET_BYTES: Final = 32

REFRESH_EVERY: Final = timedelta(seconds=5)
"""How long a revoked key may still be recognised: all keys are read at once, this often."""

USE_NOTED_EVERY: Final = timedelta(minutes=1)

FAILURES_PER_SECOND: Final = 1.0
FAILURES_BURST: Final = 30.0
"""Of one address: enough for a program with an old key, too few to search."""

NOBODYS: Final = "0" * 64

Now = Callable[[], datetime]


def system_now() -> datetime:
    """This machine's clock, aware UTC."""
    return datetime.now(UTC)


def new_key(
    name: str,
    scopes: Collection[Scope],
    accounts: Collection[str] | None,
    *,
    lasting: timedelta,
    now: datetime,
) -> tuple[str, KeptKey]:
    """The key, to be told once and to nobody else, and what is kept of it.

    `accounts` with their `act_`; None: all.
    """
    key_id = secrets.token_hex(ID_BYTES)
    key = f"{PREFIX}_{key_id}_{secrets.token_urlsafe(SECRET_BYTES)}"
    kept = KeptKey(
        id=key_id,
        digest=digest_of(key),
        name=name,
        scopes=" ".join(sorted(scopes)),
        accounts=None if accounts is None else " ".join(sorted(accounts)),
        created_at=now,
        expires_at=now + lasting,
    )
    return key, kept


def digest_of(key: str) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(key.encode()).hexdigest()


def is_usable(kept: KeptKey, now: datetime) -> bool:
    """Neither revoked nor past its end."""
    return kept.revoked_at is None and now < kept.expires_at


def principal_of(kept: KeptKey) -> Principal:
    """Who asks with it."""
    accounts = None if kept.accounts is None else frozenset(kept.accounts.split())
    scopes = frozenset(map(Scope, kept.scopes.split()))
    return Principal(name=f"{kept.name} ({kept.id})", scopes=scopes, accounts=accounts)


class KeyAccess:
    """Who asks, by the key in `Authorization: Bearer KEY`. No key is valid, nobody is let in."""

    def __init__(
        self, service: Service, now: Now = system_now, *, failures: Pace | None = None
    ) -> None:
        self._service = service
        self._now = now
        self._kept: Mapping[str, KeptKey] = {}
        self._read_at: datetime | None = None
        self._noted: dict[str, datetime] = {}
        self._failures = failures or new_failures()

    async def __call__(self, request: Request) -> Principal:
        """Raises `Refused` where the key is missing, wrong, revoked or past its end."""
        key = given_key(request)
        if key is None:
            raise unrecognised("no key was sent")
        return principal_of(await self.recognised(key, request))

    async def recognised(self, key: str, request: Request) -> KeptKey:
        """What is kept of this key. Raises `Refused`, and after some failures of one address later
        than that."""
        now = self._now()
        kept = (await self.kept()).get(key_id_of(key))
        fits = hmac.compare_digest(digest_of(key), kept.digest if kept else NOBODYS)
        if kept is None or not fits or not is_usable(kept, now):
            self._failures.spend(address_of(request))
            raise unrecognised("the key is not known, was revoked, or has ended")
        self._note_use(kept, now)
        return kept

    async def by_id(self, key_id: str) -> Principal:
        """Whose key it is by its readable part, for who has shown the whole of it before. Raises
        `Refused` once it is revoked or past its end."""
        now = self._now()
        kept = (await self.kept()).get(key_id)
        if kept is None or not is_usable(kept, now):
            raise unrecognised("the key of this session was revoked, or has ended")
        self._note_use(kept, now)
        return principal_of(kept)

    async def kept(self) -> Mapping[str, KeptKey]:
        """All keys there ever were, by their ids, at most five seconds old."""
        now = self._now()
        if self._read_at is None or not now - self._read_at < REFRESH_EVERY:
            self._kept = _by_id(await self._service.ledger.keys())
            self._read_at = now
        return self._kept

    def _note_use(self, kept: KeptKey, now: datetime) -> None:
        noted = self._noted.get(kept.id, kept.used_at)
        if noted is None or now - noted >= USE_NOTED_EVERY:
            self._noted[kept.id] = now
            self._service.errands.start(self._service.ledger.key_used(kept.id))


def new_failures() -> Pace:
    """How often one address may be wrong."""
    return Pace(FAILURES_PER_SECOND, FAILURES_BURST)


def _by_id(keys: Iterable[KeptKey]) -> dict[str, KeptKey]:
    return {key.id: key for key in keys}


def address_of(request: Request) -> str:
    """Of whoever connected; empty where nobody says."""
    return request.client.host if request.client else ""


def given_key(request: Request) -> str | None:
    """What stands behind `Bearer`; None where nothing does."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def key_id_of(key: str) -> str:
    """The readable part; whatever has none names no key."""
    parts = key.split("_", 2)
    return parts[1] if len(parts) == 3 and parts[0] == PREFIX else ""
