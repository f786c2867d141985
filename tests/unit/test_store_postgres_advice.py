"""An error of PostgreSQL is one line, with the next step that fits it."""

from __future__ import annotations

import psycopg
import pytest

from adapters.store.postgres_advice import OTHERWISE, next_step_of, said
from adapters.store.postgres_errors import translated
from reconciler.errors import LedgerForbidden, LedgerUnavailable

AT = 'connection failed: connection to server at "db", port 5432 failed: '


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (AT + 'FATAL:  password authentication failed for user "me"', "password"),
        (AT + 'FATAL:  no pg_hba.conf entry for host "h", user "me"', "pg_hba.conf"),
        (AT + 'FATAL:  database "ads" does not exist', "create the database"),
        (AT + 'FATAL:  permission denied for database "ads"', "rights"),
        (AT + "server does not support SSL, but SSL was required", "sslmode"),
        ('connection is bad: invalid sslmode value: "bogus"', "this parameter"),
        ("bad value for connect_timeout: 'abc'", "this parameter"),
        ("failed to resolve host 'db': [Errno -2] Name or service not known", "DNS"),
        (AT + "FATAL:  sorry, too many clients already", "max_connections"),
        (AT + "FATAL:  the database system is starting up", "in a moment"),
        (AT + "Connection refused", "the server runs"),
        ("consuming input failed: SSL connection has been closed unexpectedly", "the server runs"),
    ],
)
def test_each_refused_connection_has_its_own_next_step(words: str, says: str) -> None:
    kind = psycopg.ProgrammingError if words.startswith("bad") else psycopg.OperationalError

    with pytest.raises(LedgerUnavailable) as refused, translated():
        raise kind(words)

    assert says in refused.value.next_step
    assert (refused.value.next_step == OTHERWISE) is (says == "the server runs")


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (psycopg.errors.ReadOnlySqlTransaction, "primary"),
        (psycopg.errors.InvalidPassword, "password"),
        (psycopg.errors.LockNotAvailable, "in a moment"),
        (psycopg.errors.DiskFull, "disk"),
        (psycopg.errors.AdminShutdown, "the server runs"),
    ],
)
def test_an_error_of_the_server_is_told_by_its_state(kind: type[psycopg.Error], says: str) -> None:
    assert says in next_step_of(kind("in whatever language"))


def test_a_missing_right_is_an_error_of_its_own_for_it_does_not_pass() -> None:
    with pytest.raises(LedgerForbidden, match="may not") as refused, translated():
        raise psycopg.errors.InsufficientPrivilege("permission denied for table document")

    assert (refused.value.code, "rights" in refused.value.next_step) == ("ledger_unavailable", True)


def test_what_libpq_adds_below_is_left_out() -> None:
    error = psycopg.OperationalError("\n port 1  failed: refused\n\tIs the server running?\n")

    assert said(error) == "port 1 failed: refused"
