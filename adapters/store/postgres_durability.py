"""Whether a commit on this PostgreSQL survives a power cut, and a failover (A1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

from reconciler.errors import LedgerUnavailable

_ASK: Final = text("""
SELECT
    current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('synchronous_standby_names') AS synchronous_standby_names,
    current_setting('server_encoding') AS server_encoding,
    (SELECT count(*) FROM pg_stat_replication) AS standbys
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability:
    """The settings that decide, as the server words them, in a transaction like the ledger's."""

    fsync: str
    full_page_writes: str
    synchronous_commit: str
    synchronous_standby_names: str
    server_encoding: str
    standbys: int

    @property
    def survives_a_power_cut(self) -> bool:
        """Whether what was acknowledged is on the disk, and whole."""
        return (self.fsync, self.full_page_writes, self.synchronous_commit) == ("on", "on", "on")

    @property
    def survives_a_failover(self) -> bool:
        """Whether a standby has what was acknowledged; true where none is connected."""
        return bool(self.synchronous_standby_names) or not self.standbys


def durability(connection: Connection) -> Durability:
    """What the server says now."""
    return Durability(**connection.execute(_ASK).mappings().one())


def refuse_unsafe(connection: Connection, *, accept_unsafe: bool) -> None:
    """Raise `LedgerUnavailable` where commits are lost, or not every name can be kept.

    `accept_unsafe` takes a server that loses them, for tests only.
    """
    found = durability(connection)
    if not (found.survives_a_power_cut or accept_unsafe):
        raise LedgerUnavailable(
            "this PostgreSQL loses commits in a power cut: "
            f"fsync {found.fsync}, full_page_writes {found.full_page_writes}",
            next_step="set both to on in postgresql.conf and restart the server",
        )
    if found.server_encoding != "UTF8":
        raise LedgerUnavailable(
            f"the database's encoding is {found.server_encoding}, and names are of any script",
            next_step="create it anew: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
        )
