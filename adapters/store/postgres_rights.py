"""Whether the user of a connection may write what the ledger writes, asked without writing."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, text

from .tables import METADATA

_READ_ONLY: Final = frozenset({"ledger_identity"})
_ONLY_ADDED_TO: Final = frozenset({"journal", "evidence"})
_ALL: Final = ("SELECT", "INSERT", "UPDATE", "DELETE")

_MAY: Final = text("SELECT has_table_privilege(:name, :right)")
_TRANSACTIONS: Final = text("SELECT current_setting('transaction_read_only') = 'on'")


def missing_rights(connection: Connection) -> tuple[str, ...]:
    """What `GRANT` would have to give, as `INSERT, UPDATE on item`; a table each, none for all."""
    found = (
        (name, [right for right in _needed(name) if not _may(connection, name, right)])
        for name in METADATA.tables
    )
    return tuple(f"{', '.join(rights)} on {name}" for name, rights in found if rights)


def is_read_only(connection: Connection) -> bool:
    """Whether transactions are, by default or by the server."""
    return bool(connection.execute(_TRANSACTIONS).scalar_one())


def _needed(name: str) -> tuple[str, ...]:
    if name in _READ_ONLY:
        return _ALL[:1]
    return _ALL[:2] if name in _ONLY_ADDED_TO else _ALL


def _may(connection: Connection, name: str, right: str) -> bool:
    return bool(connection.execute(_MAY, {"name": name, "right": right}).scalar_one())
