"""The engine's tables are made and upgraded by `migrate`; a worker without them says so."""

from __future__ import annotations

from collections.abc import Iterator
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


@pytest.fixture
def old(postgres: Postgres) -> Iterator[str]:
    """A ledger with the tables of an older engine."""
    made = postgres.migrated()
    with psycopg.connect(made) as connection:
        for script in sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql")):
            if script.stem <= OLDER:
                connection.execute(script.read_bytes())
        connection.execute(tables.TABLE)
        connection.execute("INSERT INTO engine_schema VALUES (1, %s, 7)", [OLDER])
    yield made
    postgres.drop(made)


def test_tables_of_an_older_engine_are_refused_until_they_are_migrated(url: str, old: str) -> None:
    with pytest.raises(WrongSchema, match="are of 03"):
        tables.check(old)

    tables.migrate(old)

    tables.check(old)
    assert asked(old, "SELECT lanes FROM engine_schema") == [{"lanes": 7}]
    assert asked(old, FUNCTIONS) == asked(url, FUNCTIONS)


def test_tables_of_an_older_engine_that_cannot_be_upgraded_are_made_anew(
    url: str, old: str
) -> None:
    asked(old, "DROP TABLE procrastinate_jobs CASCADE")

    tables.migrate(old)

    tables.check(old)
    assert asked(old, FUNCTIONS) == asked(url, FUNCTIONS)


IN_PART = {
    "table procrastinate_jobs": "DROP TABLE procrastinate_jobs CASCADE",
    "table procrastinate_periodic_defers": "DROP TABLE procrastinate_periodic_defers CASCADE",
    "function procrastinate_fetch_job_v2": "DROP FUNCTION procrastinate_fetch_job_v2",
    "type procrastinate_job_to_defer_v1": "DROP TYPE procrastinate_job_to_defer_v1 CASCADE",
    "function engine_look_at": "DROP FUNCTION engine_look_at",
    "trigger engine_enqueue": "DROP TRIGGER engine_enqueue ON document",
    "tables of the engine": "DROP TABLE engine_schema",
    "the engine procrastinate are missing": "DELETE FROM engine_schema",
}


@pytest.mark.parametrize("lacking", IN_PART)
def test_an_engine_that_is_there_in_part_is_refused_and_made_whole_by_a_migration(
    url: str, lacking: str
) -> None:
    functions = asked(url, FUNCTIONS)
    asked(url, IN_PART[lacking])
    with pytest.raises(WrongSchema, match=lacking) as refused:
        tables.check(url)

    tables.migrate(url)

    tables.check(url)
    assert refused.value.next_step == tables.NEXT_STEP
    assert asked(url, FUNCTIONS) == functions


async def test_a_worker_under_whom_a_part_is_dropped_says_what_is_missing_and_ends(
    stage: EngineStage,
) -> None:
    life = stage.running()
    await stage.queued("1")
    await stage.until_all_are("published")

    await stage.asked("DROP FUNCTION procrastinate_fetch_job_v2")

    with pytest.raises(WrongSchema, match="lacks function procrastinate_fetch_job_v2"):
        await life.until_ended()


def test_jobs_of_another_program_are_not_dropped(url: str) -> None:
    asked(url, "INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('mail', 'send')")
    asked(url, "DROP TABLE engine_schema")

    with pytest.raises(WrongSchema, match="another program: send"):
        tables.migrate(url)

    assert asked(url, "SELECT task_name FROM procrastinate_jobs") == [{"task_name": "send"}]


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
