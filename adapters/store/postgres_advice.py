"""What PostgreSQL or libpq said, in one line, and what to do about it.

A connection that is refused carries no SQLSTATE: libpq gives its words only, and a server's are in
the language it is set to. What is not recognised gets the advice that is always true.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class _Known(NamedTuple):
    """One kind of refusal: by its SQLSTATE, or by words of a connection that was refused."""

    states: frozenset[str]
    words: re.Pattern[str] | None
    next_step: str


def said(error: BaseException | None) -> str:
    """The first line, spaces collapsed: what follows is a hint, or the statement with a caret."""
    lines = str(error).strip().splitlines() or [""]
    return " ".join(lines[0].split())


def next_step_of(error: BaseException | None) -> str:
    """What to do about an error that is nobody's bug."""
    known = _known(error)
    return known.next_step if known is not None else OTHERWISE


def is_refused_connection(error: BaseException | None) -> bool:
    """Whether libpq or the server took no connection, for a reason that we know."""
    return getattr(error, "sqlstate", None) is None and _known(error) is not None


def _known(error: BaseException | None) -> _Known | None:
    state, text = getattr(error, "sqlstate", None), str(error)
    for known in _KNOWN:
        if state in known.states:
            return known
        if state is None and known.words is not None and known.words.search(text):
            return known
    return None


def _one(states: str, words: str | None, next_step: str) -> _Known:
    pattern = None if words is None else re.compile(words)
    return _Known(frozenset(states.split()), pattern, next_step)


OTHERWISE: Final = "see that the server runs and can be reached from here, then try again"

_KNOWN: Final = (
    _one(
        "28P01",
        r"password authentication failed|no password supplied",
        "mend user and password in RECONCILER_DATABASE_URL, signs in the password as in %40 for @",
    ),
    _one(
        "28000",
        r"no pg_hba\.conf entry|pg_hba\.conf rejects|authentication failed|role \".*\" "
        r"(does not exist|is not permitted to log in)",
        "have the server's pg_hba.conf admit this user from here, or name another user",
    ),
    _one(
        "3D000",
        r"database \".*\" does not exist",
        "create the database, or mend its name in RECONCILER_DATABASE_URL",
    ),
    _one(
        "42501",
        r"permission denied for database",
        "give the user the rights of the tables' owner, or set RECONCILER_DATABASE_URL",
    ),
    _one(
        "25006",
        r"session is (not )?read-only|server is in hot standby mode",
        "set RECONCILER_DATABASE_URL to a primary, its default_transaction_read_only off",
    ),
    _one(
        "22023",
        r"^bad value for |invalid (\w+ )+value|definition of service",
        "mend this parameter in RECONCILER_DATABASE_URL",
    ),
    _one(
        "",
        r"does not support SSL|SSL error|certificate",
        "mend sslmode and the certificates in RECONCILER_DATABASE_URL, or switch TLS on there",
    ),
    _one(
        "",
        r"resolve host|translate host name",
        "mend the host in RECONCILER_DATABASE_URL, or see that DNS knows it",
    ),
    _one(
        "53300",
        r"too many (clients|connections)|connection slots are reserved",
        "run fewer processes, or raise max_connections on the server",
    ),
    _one("53100", None, "make room on the server's disk, then try again"),
    _one(
        "55P03 57014 57P03 25P03",
        r"database system is (starting up|shutting down|in recovery)|not yet accepting",
        "try again in a moment",
    ),
)
