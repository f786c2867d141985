"""Which PostgreSQL a URL names; what cannot be read is refused without a word of it."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict

from adapters.store.postgres_url import conninfo_of
from reconciler.errors import LedgerUnavailable


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg", "postgres"])
def test_a_url_is_read_as_libpq_reads_it(scheme: str) -> None:
    read = conninfo_to_dict(conninfo_of(f"{scheme}://me:p%40ss@db:5433/ads?sslmode=require"))

    assert {name: read[name] for name in ("user", "password", "host", "port", "dbname")} == {
        "user": "me",
        "password": "p@ss",
        "host": "db",
        "port": "5433",
        "dbname": "ads",
    }
    assert read["sslmode"] == "require"
    assert read["client_encoding"] == "utf8"


def test_what_the_url_says_goes_before_our_own_patience() -> None:
    read = conninfo_to_dict(conninfo_of("postgresql://db/ads?connect_timeout=3"))

    assert (read["connect_timeout"], read["tcp_user_timeout"]) == ("3", "30000")


def test_nothing_is_asked_for_that_a_transaction_pooler_refuses() -> None:
    """Such as startup options."""
    assert "options" not in conninfo_to_dict(conninfo_of("postgresql://db/ads"))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mysql://me:CANARY@db/ads",
        "postgresql:/me:CANARY@db/ads",
        "postgresql://me:CANARY@db:port/ads",
        "postgresql://me:CAN/ARY@db/ads",
        "postgresql://me:CAN@ARY@db/ads",
        "postgresql://me:CANARY@[db/ads",
        "postgresql://me@db/ads?passwort=CANARY",
        "postgresql://me@db/ads?password=CANARY&=",
        "postgresql://me:CANARY%@db/ads",
    ],
)
def test_what_cannot_be_read_is_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(LedgerUnavailable) as refused:
        conninfo_of(url)

    told = refused.value.message + refused.value.next_step
    assert "postgresql://USER:PASSWORD@HOST/DATABASE" in told
    assert "CAN" not in told
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    "url", ["postgresql://", "postgresql://me:CANARY@db:5433", "postgresql://db/?sslmode=require"]
)
def test_a_url_without_a_database_is_refused_for_libpq_would_choose_one(url: str) -> None:
    with pytest.raises(LedgerUnavailable, match="names no database"):
        conninfo_of(url)


def test_a_database_may_be_named_among_the_parameters() -> None:
    assert conninfo_to_dict(conninfo_of("postgresql://db?dbname=ads"))["dbname"] == "ads"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://me@db:port/ads", "port that is no number"),
        ("postgresql://me@db:99999/ads", "port that is no number"),
        ("postgresql://me@db/ads?sslmod=CANARY", "number 1 is none of libpq's; did you mean sslm"),
        ("postgresql://me@db/ads?password=x&CANARY", "number 2 is none of libpq's"),
    ],
)
def test_the_part_that_is_wrong_is_named(url: str, says: str) -> None:
    """By its place: what stands there may be a piece of a password."""
    with pytest.raises(LedgerUnavailable, match=says) as refused:
        conninfo_of(url)

    assert "CANARY" not in refused.value.message
