"""The migrations make exactly the tables that the program reads, from an installed package too."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Inspector, create_engine, inspect, text

from adapters.store import schema
from adapters.store.tables import METADATA
from reconciler import model
from reconciler.errors import WrongSchema
from tests.databases import EMPTY_DATABASES, by_hand
from tests.postgres import Postgres

KINDS = ("sqlite", "postgresql")


@pytest.fixture(params=EMPTY_DATABASES)
def empty(
    request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres
) -> Callable[[], AbstractContextManager[Connection]]:
    """Makes empty databases, of each kind in turn."""
    return lambda: by_hand(EMPTY_DATABASES[request.param](tmp_path, postgres))


@pytest.fixture
def migrated(empty: Callable[[], AbstractContextManager[Connection]]) -> Iterator[Connection]:
    """A database as the migrations make it."""
    with empty() as connection:
        schema.upgrade(connection)
        yield connection


def _found(connection: Connection) -> dict[str, dict[str, Any]]:
    inspector: Inspector = inspect(connection)
    return {
        name: {
            "columns": [
                (c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)
            ],
            "key": inspector.get_pk_constraint(name),
            "unique": inspector.get_unique_constraints(name),
            "foreign": inspector.get_foreign_keys(name),
            "checks": {c["name"]: c["sqltext"] for c in inspector.get_check_constraints(name)},
            "indexes": {
                i["name"]: (
                    i["column_names"],
                    i["unique"],
                    *(str(i["dialect_options"].get(f"{name}_where")) for name in KINDS),
                )
                for i in inspector.get_indexes(name)
            },
        }
        for name in inspector.get_table_names()
        if name != schema.VERSION_TABLE
    }


def test_the_migrations_and_the_tables_agree(migrated: Connection) -> None:
    options = {"compare_type": True, "version_table": schema.VERSION_TABLE}
    context = MigrationContext.configure(migrated, opts=options)

    assert compare_metadata(context, METADATA) == []


def test_they_agree_in_keys_checks_and_indexes_too(
    migrated: Connection, empty: Callable[[], AbstractContextManager[Connection]]
) -> None:
    found = _found(migrated)
    migrated.rollback()

    with empty() as connection:
        METADATA.create_all(connection)
        wanted = _found(connection)

    assert found == wanted


def test_the_newest_revision_is_the_one_that_the_program_reads() -> None:
    assert ScriptDirectory(str(schema.MIGRATIONS)).get_heads() == [schema.VERSION]


def test_what_the_migrations_need_is_packed_with_them() -> None:
    versions = resources.files("adapters.store.migrations.versions")
    names = {each.name for each in versions.iterdir()}

    assert {"__init__.py", "0001_first.py", "0002_document_status.sqlite.sql"} <= names
    views = ("0001", "0002", "0012", "0013")
    assert {f"{each}_document_status.postgresql.sql" for each in views} <= names
    assert (schema.MIGRATIONS / "env.py").is_file()


@pytest.mark.parametrize(
    ("table", "column", "closed"),
    [
        ("document", "state", model.DocumentState),
        ("document", "next_action", model.NextAction),
        ("item", "state", model.ItemState),
        ("item", "kind", model.Kind),
        ("intent", "found_by", model.Grade),
        ("intent", "reason", model.Reason),
        ("call", "outcome", model.Outcome),
        ("attempt", "outcome", model.AttemptOutcome),
        ("account", "reason", model.BlockReason),
    ],
)
def test_a_closed_list_is_checked_by_the_database_word_for_word(
    migrated: Connection, table: str, column: str, closed: type[model.Kind]
) -> None:
    checks = {c["name"]: c["sqltext"] for c in inspect(migrated).get_check_constraints(table)}
    words = re.findall(r"'(\w+)'", checks[f"ck_{table}_{column}"])

    assert words == [member.value for member in closed]


def test_a_downgrade_leaves_nothing_behind(migrated: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    config.attributes["connection"] = migrated

    command.downgrade(config, "base")

    assert inspect(migrated).get_table_names() == [schema.VERSION_TABLE]
    assert inspect(migrated).get_view_names() == []


@pytest.mark.parametrize(
    ("version", "next_step"), [("0000", "reconciler migrate"), ("9999", "use the newer release")]
)
def test_another_schema_is_refused_with_what_to_do(
    migrated: Connection, version: str, next_step: str
) -> None:
    migrated.execute(text("UPDATE ledger_schema SET version_num = :v"), {"v": version})

    with pytest.raises(WrongSchema) as refused:
        schema.check(migrated)

    assert refused.value.next_step.startswith(next_step)


def test_a_ledger_of_a_newer_program_is_not_migrated(migrated: Connection) -> None:
    migrated.execute(text("UPDATE ledger_schema SET version_num = '9999'"))

    with pytest.raises(WrongSchema):
        schema.upgrade(migrated)


def test_looking_for_what_is_unsettled_reads_the_few_items_that_may_be(tmp_path: Path) -> None:
    """A claim among documents of a thousand confirmed items touches none of them."""
    driver = sqlite3.connect(tmp_path / "plan.db")
    engine = create_engine("sqlite://", creator=lambda: driver)
    with engine.begin() as connection:
        schema.upgrade(connection)
    plan = driver.execute(
        "EXPLAIN QUERY PLAN SELECT unsettled FROM document_status WHERE document_id = 'd1'"
    ).fetchall()
    engine.dispose()
    driver.close()

    assert any("ix_item_unsettled" in row[3] for row in plan), plan


@pytest.mark.parametrize("lost", ["DELETE FROM ledger_schema", "DROP TABLE ledger_schema"])
def test_tables_that_lost_their_version_are_said_to_be_damaged_and_left_alone(
    migrated: Connection, lost: str
) -> None:
    migrated.execute(text(lost))

    for opening in (schema.check, schema.refuse_a_strangers):
        with pytest.raises(WrongSchema, match="without the version") as refused:
            opening(migrated)
        assert "backup" in refused.value.next_step


def test_a_database_without_tables_is_nobodys(
    empty: Callable[[], AbstractContextManager[Connection]],
) -> None:
    with empty() as connection:
        schema.refuse_a_strangers(connection)
        with pytest.raises(WrongSchema, match="missing"):
            schema.check(connection)
