"""From a `postgresql://…` URL to what libpq connects by; or what is wrong with it, unquoted.

The URL stays out of every error: it may hold a password, and in a URL that cannot be read any part
may be a piece of it. A part is named by what it is meant to be, or by its place.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo

from reconciler.errors import LedgerUnavailable

PORT_MAX: Final = 65_535

_SCHEMES: Final = ("postgresql", "postgres")
"""Both are libpq's."""

_UNLESS_GIVEN: Final = {
    "connect_timeout": "10",
    # A server that is gone without a word is noticed within half a minute.
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
    "application_name": "reconciler",
}
_ALWAYS: Final = {"client_encoding": "utf8"}


def conninfo_of(url: str) -> str:
    """What libpq connects by. Raises `LedgerUnavailable`, which does not quote the URL."""
    scheme, separator, rest = url.partition("://")
    place, _, path = rest.partition("?")[0].partition("/")
    if scheme.partition("+")[0] not in _SCHEMES or not separator:
        raise _refused("is no URL of a PostgreSQL database")
    if place.count("@") > 1 or "@" in path:
        # A password with a sign in it, half of which would be read as the host.
        raise _refused("cannot be read: a sign in its password is not written as in a URL")
    try:
        given = conninfo_to_dict(f"postgresql://{rest}")
    except psycopg.Error:
        raise _refused(_unreadable(rest)) from None  # its text holds the URL
    return make_conninfo("", **(_UNLESS_GIVEN | _checked(given) | _ALWAYS))


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Without a name, libpq takes the user's database or one from the environment."""
    ports = str(given.get("port", "")).split(",")
    if not all(_is_port(port) for port in ports if port):
        raise _refused("has a port that is no number from 1 to 65535")
    if not given.get("dbname"):
        raise _refused("names no database")
    return dict(given)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 1 <= int(text) <= PORT_MAX


def _unreadable(rest: str) -> str:
    """What libpq could not read in it."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()} | {"ssl"}
    _, asked, parameters = rest.partition("?")
    for number, parameter in enumerate(parameters.split("&") if asked else (), start=1):
        name, separator, _ = parameter.partition("=")
        if separator and unquote(name) in known:
            continue
        close = difflib.get_close_matches(unquote(name), known, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        return f"cannot be read: its parameter number {number} is none of libpq's{hint}"
    return "cannot be read"


def _refused(what: str) -> LedgerUnavailable:
    return LedgerUnavailable(
        f"RECONCILER_DATABASE_URL {what}",
        next_step="write it as postgresql://USER:PASSWORD@HOST/DATABASE, signs in it as %40",
    )
