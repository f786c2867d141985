"""Keys of the HTTP service: what is kept of them, never the key itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Text, bindparam, select, update

from .columns import Instant
from .statement import AnyRow, Statement
from .tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKey:
    """A key as the ledger keeps it. `id` is its readable part, by which it is found.

    `digest` is the SHA-256 of the whole key, in hex. `scopes` and `accounts` are words with a space
    between; `accounts` None: all. A revoked key stays, as revoked.
    """

    id: str
    digest: str
    name: str
    scopes: str
    accounts: str | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    used_at: datetime | None = None


_key = table("api_key")
_ALL: Final = Statement(select(_key).order_by(_key.c.created_at, _key.c.id))
_ADD: Final = Statement(
    _key.insert().values({column.name: bindparam(column.name) for column in _key.columns})
)
_THE_ID: Final = bindparam("the_id", type_=Text)
_AT: Final = bindparam("the_time", type_=Instant)
_REVOKE: Final = Statement(
    update(_key)
    .where(_key.c.id == _THE_ID, _key.c.revoked_at.is_(None))
    .values(revoked_at=_AT)
    .returning(_key.c.id)
)
_USED: Final = Statement(update(_key).where(_key.c.id == _THE_ID).values(used_at=_AT))
_NAMES: Final = tuple(column.name for column in _key.columns)


def all_keys(connection: Connection) -> tuple[KeptKey, ...]:
    """Every key there ever was, oldest first."""
    return tuple(map(_kept, _ALL.rows(connection, {})))


def add(connection: Connection, key: KeptKey) -> None:
    """A new one."""
    _ADD.run(connection, [{name: getattr(key, name) for name in _NAMES}])


def revoke(connection: Connection, now: datetime, key_id: str) -> bool:
    """It is recognised no more; False where there is none of this id that was."""
    return _REVOKE.row(connection, {"the_id": key_id, "the_time": now}) is not None


def used(connection: Connection, now: datetime, key_id: str) -> None:
    """It was used now."""
    _USED.run(connection, [{"the_id": key_id, "the_time": now}])


def _kept(row: AnyRow) -> KeptKey:
    return KeptKey(**{name: getattr(row, name) for name in _NAMES})
