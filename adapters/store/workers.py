"""Which workers were seen when, and which of them sweeps: two small tables that workers share."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, Text, bindparam, delete, func, or_, select, text, update

from .columns import EPOCH, Instant
from .guards import NOW
from .statement import Statement
from .tables import table

FORGOTTEN_AFTER: Final = timedelta(days=1)
"""A worker that was killed signs off nowhere; its row would stay for ever."""

_worker, _sweeper = table("worker"), table("sweeper")
_OWNER: Final = bindparam("the_owner", type_=Text)

_BEAT: Final = Statement(
    text(
        "INSERT INTO worker (owner, seen_at) VALUES (:the_owner, :the_time)"
        " ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at"
    ).bindparams(_OWNER, NOW)
)
_FORGET: Final = Statement(
    delete(_worker).where(_worker.c.seen_at < bindparam("long_ago", type_=Instant))
)
_SIGN_OFF: Final = Statement(delete(_worker).where(_worker.c.owner == _OWNER))
_LAST_SEEN: Final = Statement(select(func.max(_worker.c.seen_at).label("seen_at")))
_SWEEP: Final = Statement(
    update(_sweeper)
    .where(or_(_sweeper.c.owner == _OWNER, _sweeper.c.until <= NOW))
    .values(owner=_OWNER, until=bindparam("the_end", type_=Instant))
    .returning(_sweeper.c.one)
)
_END_SWEEP: Final = Statement(
    update(_sweeper).where(_sweeper.c.owner == _OWNER).values(owner="", until=EPOCH)
)


def beat(connection: Connection, now: datetime, owner: str) -> None:
    """This worker was seen now."""
    _BEAT.run(connection, [{"the_owner": owner, "the_time": now}])
    _FORGET.run(connection, [{"long_ago": now - FORGOTTEN_AFTER}])


def sign_off(connection: Connection, owner: str) -> None:
    """This worker is seen no more."""
    _SIGN_OFF.run(connection, [{"the_owner": owner}])


def last_seen(connection: Connection) -> datetime | None:
    """When any was."""
    [row] = _LAST_SEEN.rows(connection, {})
    seen_at: datetime | None = row.seen_at
    return seen_at


def sweep_lease(connection: Connection, now: datetime, owner: str, duration: timedelta) -> bool:
    """One conditional update of the one row: ours, or whoever had it is gone."""
    values = {"the_owner": owner, "the_time": now, "the_end": now + duration}
    return _SWEEP.row(connection, values) is not None


def end_sweep(connection: Connection, owner: str) -> None:
    """Nobody sweeps, if it was this one."""
    _END_SWEEP.run(connection, [{"the_owner": owner}])
