"""Opening a SQLite ledger: only `migrate` creates one, and a copy is refused until accepted."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

from adapters.store.sqlite import SqliteLedger, file_of, migrate
from adapters.store.sqlite_database import translated
from reconciler.errors import ForeignLedger, LedgerUnavailable, WrongSchema

GRAPH_URL: Final = "https://graph.example"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A migrated ledger."""
    path = tmp_path / "ledger.db"
    migrate(_url(path), graph_url=GRAPH_URL)
    return path


def _url(path: Path) -> str:
    return f"sqlite:///{path}"


def _open(path: Path, graph_url: str | None = GRAPH_URL) -> None:
    SqliteLedger.open(_url(path), graph_url=graph_url).close()


def _identity(path: Path) -> str:
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT identity FROM ledger_identity").fetchone()[0]
    connection.close()
    return str(found)


@pytest.mark.parametrize(
    ("place", "mode"), [("ledger.db", "ro"), ("nowhere/ledger.db", "rw")], ids=["file", "folder"]
)
def test_what_may_not_be_written_says_whose_permissions_to_mend(
    file: Path, place: str, mode: str
) -> None:
    """As SQLite itself refuses it; a user who may do everything meets no permissions."""
    address = f"file:{quote(str(file.parent / place))}?mode={mode}"
    with (
        pytest.raises(LedgerUnavailable) as refused,
        translated(),
        closing(sqlite3.connect(address, uri=True)) as connection,
    ):
        connection.execute("CREATE TABLE more (one)")

    assert "let this user write the ledger's file and its folder" in refused.value.next_step


def test_a_migrated_ledger_is_opened(file: Path) -> None:
    _open(file)


def test_a_missing_file_is_refused_and_not_created(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"

    with pytest.raises(WrongSchema) as refused:
        _open(missing)

    assert refused.value.next_step == "reconciler migrate"
    assert not missing.exists()


def test_an_empty_file_is_refused_and_left_empty(tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()

    with pytest.raises(WrongSchema, match="missing"):
        _open(empty)

    assert empty.stat().st_size == 0


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.db"
    other.write_text("no database at all, but long enough to be looked at\n" * 40)

    with pytest.raises(LedgerUnavailable):
        _open(other)


def test_migrating_again_changes_nothing(file: Path) -> None:
    before = _identity(file)

    migrate(_url(file), graph_url=GRAPH_URL)

    assert _identity(file) == before
    _open(file)


def test_a_copy_is_refused_until_it_is_accepted(file: Path) -> None:
    copy = file.with_name("copy.db")
    shutil.copy(file, copy)

    with pytest.raises(ForeignLedger) as refused:
        _open(copy)
    assert "--accept-database" in refused.value.next_step
    with pytest.raises(ForeignLedger):
        migrate(_url(copy), graph_url=GRAPH_URL)

    migrate(_url(copy), graph_url=GRAPH_URL, accept=True)
    _open(copy)
    assert _identity(copy) != _identity(file)
    _open(file)


def test_a_backup_put_in_the_place_of_the_file_is_refused(file: Path) -> None:
    backup = file.with_name("backup.db")
    shutil.copy(file, backup)
    os.replace(backup, file)

    with pytest.raises(ForeignLedger):
        _open(file)


def test_another_way_to_the_same_file_is_the_same_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = file.with_name("link.db")
    link.symlink_to(file)
    monkeypatch.chdir(file.parent)

    _open(link)
    SqliteLedger.open("sqlite:///ledger.db").close()


def test_a_ledger_belongs_to_one_graph_url(file: Path) -> None:
    other = "https://fake.example"

    with pytest.raises(ForeignLedger, match=GRAPH_URL):
        _open(file, other)
    _open(file, None)

    migrate(_url(file), graph_url=other, accept=True)
    _open(file, other)


def test_a_refused_migration_changes_nothing(file: Path) -> None:
    copy = file.with_name("copy.db")
    shutil.copy(file, copy)
    with sqlite3.connect(copy) as connection:
        before = list(connection.iterdump())

        with pytest.raises(ForeignLedger):
            migrate(_url(copy), graph_url=GRAPH_URL)

        assert list(connection.iterdump()) == before
    connection.close()


@pytest.mark.parametrize("name", ["with space.db", "with%percent.db", "with#hash?.db", "é.db"])
def test_a_name_may_hold_any_sign_written_as_in_any_url(tmp_path: Path, name: str) -> None:
    url = f"sqlite:///{tmp_path}/{quote(name)}"

    migrate(url, graph_url=GRAPH_URL)

    assert (tmp_path / name).is_file()
    SqliteLedger.open(url).close()


@pytest.mark.parametrize(
    "url",
    ["sqlite://", "sqlite:///:memory:", "sqlite:///x.db?mode=ro", "postgresql://h/x", "x.db", ""],
)
def test_a_url_that_names_no_sqlite_file_is_refused(url: str) -> None:
    with pytest.raises(LedgerUnavailable):
        file_of(url)
