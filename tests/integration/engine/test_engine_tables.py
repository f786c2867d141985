"""The engine's tables are made and upgraded by `migrate`; a worker without them says so."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from adapters.engine import procrastinate_engine, tables
from adapters.engine.procrastinate_engine import Procrastinate
from reconciler.errors import LedgerUnavailable, WrongSchema
from reconciler.serving import Happening
from tests.databases import asked
from tests.integration.engine.engine_stage import EngineStage
from tests.postgres import Postgres

OLDER = "03.03.00_01_pre_priority_lock_fetch_job"
FUNCTIONS = "SELECT proname FROM pg_proc WHERE proname LIKE 'procrastinate%' ORDER BY 1"


async def test_a_worker_without_the_engines_tables_says_so(
    stage: EngineStage, postgres: Postgres
) -> None:
    bare = postgres.migrated()
    try:
        with pytest.raises(WrongSchema, match="engine procrastinate are missing") as refused:
            await Procrastinate(bare).work(stage.outside(), lambda _: None)
    finally:
        postgres.drop(bare)

    assert refused.value.next_step is not None
    assert "reconciler migrate" in refused.value.next_step


def test_to_migrate_again_changes_nothing(url: str) -> None:
    before = asked(url, "SELECT * FROM engine_schema"), asked(url, FUNCTIONS)

    tables.migrate(url)

    assert (asked(url, "SELECT * FROM engine_schema"), asked(url, FUNCTIONS)) == before


def test_tables_of_an_older_engine_are_refused_until_they_are_migrated(
    url: str, postgres: Postgres
) -> None:
    old = postgres.migrated()
    with psycopg.connect(old) as connection:
        for script in sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql")):
            if script.stem <= OLDER:
                connection.execute(script.read_bytes())
        connection.execute(tables.TABLE)
        connection.execute("INSERT INTO engine_schema VALUES (1, %s, 7)", [OLDER])
    with pytest.raises(WrongSchema, match="are of 03"):
        tables.check(old)

    tables.migrate(old)

    tables.check(old)
    assert asked(old, "SELECT lanes FROM engine_schema") == [{"lanes": 7}]
    assert asked(old, FUNCTIONS) == asked(url, FUNCTIONS)
    postgres.drop(old)


async def test_a_worker_that_meets_a_ledger_that_is_away_waits_for_it(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R062, between its start and its first question."""
    asked_for: list[str] = []

    def away_once(url: str) -> None:
        asked_for.append(url)
        if len(asked_for) == 1:
            raise LedgerUnavailable("the database system is starting up")

    monkeypatch.setattr(procrastinate_engine, "check", away_once)
    await stage.queued("1")
    life = stage.running()

    await stage.until_all_are("published")

    assert life.told(Happening.LEDGER_AWAY) == [None]
