"""A ledger is a file of its own: what is not one is refused with the way out, and left as it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from adapters.store.sqlite import SqliteLedger, migrate
from reconciler.errors import ForeignLedger, LedgerUnavailable

API = "https://graph.example"


def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    with sqlite3.connect(file) as theirs:
        theirs.execute("CREATE TABLE account (name TEXT)")
        theirs.execute("INSERT INTO account VALUES ('theirs')")

    with pytest.raises(ForeignLedger, match="another program's tables") as refused:
        migrate(f"sqlite:///{file}", graph_url=API, accept=True)

    assert "file of its own" in refused.value.next_step
    with sqlite3.connect(file) as theirs:
        assert theirs.execute("SELECT name FROM sqlite_master").fetchall() == [("account",)]
        assert theirs.execute("SELECT name FROM account").fetchall() == [("theirs",)]


@pytest.mark.parametrize("name", ["", "missing/ledger.db"])
def test_a_folder_and_a_missing_folder_are_told_apart_from_a_missing_ledger(
    tmp_path: Path, name: str
) -> None:
    url = f"sqlite:///{tmp_path / name}"

    for opening in (
        lambda: migrate(url, graph_url=API),
        lambda: SqliteLedger.open(url, graph_url=API),
    ):
        with pytest.raises(LedgerUnavailable, match="folder") as refused:
            opening()
        assert refused.value.next_step


def test_a_file_that_is_no_database_is_said_to_be_none_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("shopping list\n" * 200)

    with pytest.raises(LedgerUnavailable, match="no SQLite database") as refused:
        migrate(f"sqlite:///{file}", graph_url=API)

    assert "file of its own" in refused.value.next_step
    assert file.read_text() == "shopping list\n" * 200
