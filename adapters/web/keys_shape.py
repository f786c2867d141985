"""`keys/1`: the keys of the service, and nothing that could be used as one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from ..shapes import shown_time
from ..store.keys import KeptKey

SCHEMA: Final = "keys/1"


def keys_list(keys: Iterable[KeptKey], now: datetime) -> dict[str, Any]:
    """All of them, oldest first."""
    return {"schema": SCHEMA, "keys": [shown_key(key, now) for key in keys]}


def shown_key(key: KeptKey, now: datetime) -> dict[str, Any]:
    """One of them. `used_at` is to the minute; null: never."""
    return {
        "key_id": key.id,
        "name": key.name,
        "state": _state(key, now),
        "scopes": key.scopes.split(),
        "accounts": None if key.accounts is None else key.accounts.split(),
        "created_at": shown_time(key.created_at),
        "expires_at": shown_time(key.expires_at),
        "revoked_at": shown_time(key.revoked_at),
        "used_at": shown_time(key.used_at),
    }


def _state(key: KeptKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if now < key.expires_at else "ended"
