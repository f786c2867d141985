"""Rows that came as one JSON text are the rows that a statement of its own would give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from sqlalchemy import Dialect, create_engine

from adapters.store.listed_rows import listed_rows
from adapters.store.sqlite_database import SqliteDatabase
from adapters.store.tables import table
from reconciler.model import ItemState, Kind

AT: Final = datetime(2026, 11, 30, 12, 0, 0, 1, tzinfo=UTC)
MICROSECONDS: Final = 1_796_040_000_000_001
ITEM: Final = {
    "document_id": "d1",
    "key": "a1",
    "position": 0,
    "kind": "ad",
    "name": "one",
    "params": {"status": "PAUSED"},
    "parent_kind": "adset",
    "parent_id": "2001",
    "parent_ref": None,
    "item_part": "abcdef",
    "is_twin": False,
    "refs": ["c1"],
    "state": "confirmed",
}


@pytest.fixture(params=["sqlite", "somebody else's sqlite", "postgresql"])
def dialect(request: pytest.FixtureRequest) -> Iterator[Dialect]:
    """As our engines have it, and an application's own, in whose transaction we read: SQLite's JSON
    is text within the text, its truth 0 and 1."""
    if request.param == "somebody else's sqlite":
        yield create_engine("sqlite://").dialect
    elif request.param == "sqlite":
        database = SqliteDatabase.in_memory()
        yield database._connection.dialect
        database.close()
    else:
        yield create_engine("postgresql+psycopg://").dialect


def listed(dialect: Dialect, name: str, *rows: dict[str, Any]) -> str:
    """As the database writes them."""
    columns = [column.name for column in table(name).columns]
    return json.dumps([[stored(dialect, row[each]) for each in columns] for row in rows])


def stored(dialect: Dialect, value: Any) -> Any:
    """As it stands in a list that this database made."""
    if dialect.name == "sqlite" and isinstance(value, dict | list):
        return json.dumps(value)
    return int(value) if dialect.name == "sqlite" and isinstance(value, bool) else value


def test_every_column_has_the_value_its_type_has(dialect: Dialect) -> None:
    (row,) = listed_rows(table("item"), dialect).of(listed(dialect, "item", ITEM))

    assert {name: getattr(row, name) for name in ITEM} == ITEM
    assert isinstance(row.kind, Kind)
    assert isinstance(row.state, ItemState)
    assert row.is_twin is False


def test_times_are_aware_to_the_microsecond_and_null_stays_null(dialect: Dialect) -> None:
    call = {
        "document_id": "d1",
        "key": "a1",
        "number": 1,
        "attempt": 1,
        "started_at": MICROSECONDS,
        "ended_at": None,
        "outcome": None,
        "external_id": None,
        "error": None,
    }

    (row,) = listed_rows(table("call"), dialect).of(listed(dialect, "call", call))

    assert (row.started_at, row.ended_at, row.outcome, row.error) == (AT, None, None, None)
    assert row.started_at.tzinfo is UTC


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("half \ud83d of a pair", "an error's message may be cut anywhere; JSON escapes it"),
        ("\x00", "the same"),
        ("É / ß / 名", "no letter is special"),
    ],
)
def test_any_text_is_read_as_it_was_written(dialect: Dialect, name: str, reason: str) -> None:
    row = ITEM | {"name": name, "params": {"name": name, "big": 10**30}}

    (read,) = listed_rows(table("item"), dialect).of(listed(dialect, "item", row))

    assert (read.name, read.params) == (name, row["params"]), reason


def test_many_rows_keep_their_order_and_no_rows_are_none(dialect: Dialect) -> None:
    rows = [ITEM | {"key": f"a{number}"} for number in (3, 1, 2)]

    read = listed_rows(table("item"), dialect)

    assert [row.key for row in read.of(listed(dialect, "item", *rows))] == ["a3", "a1", "a2"]
    assert read.of(None) == []


def test_a_word_that_no_list_has_is_refused(dialect: Dialect) -> None:
    """A later release may have written it: better no value than one that means something else."""
    text = listed(dialect, "item", ITEM | {"state": "enchanted"})

    with pytest.raises(ValueError, match="enchanted"):
        listed_rows(table("item"), dialect).of(text)
