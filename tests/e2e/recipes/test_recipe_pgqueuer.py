"""docs/recipes/pgqueuer.md as it stands there, on real processes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import psycopg
from pgqueuer.db import PsycopgDriver
from pgqueuer.queries import Queries

from fixtures.graph.app import FakeGraph
from fixtures.postgres_databases import PostgresDatabases
from tests.e2e.command_line import Shell
from tests.e2e.recipes.engine_story import (
    KILLED_SOON,
    PYTHON,
    Engine,
    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once,
    programs_of,
)


def test_pgqueuer_drives_documents_through_its_death(
    shell: Shell, graph: FakeGraph, databases: PostgresDatabases
) -> None:
    (program,) = programs_of("pgqueuer.md")
    patient = "DIED_WITHIN = timedelta(seconds=10)"
    assert patient in program
    impatient = program.replace(patient, "DIED_WITHIN = timedelta(seconds=3)")
    (shell.folder / "documents.py").write_text(impatient)
    url = databases.new()

    def on_the_queue(work: Sequence[str] | None) -> None:
        async def story() -> None:
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                queries = Queries(PsycopgDriver(connection))
                if work is None:
                    await queries.install()
                for document_id in work or ():
                    await queries.enqueue("advance", document_id.encode())

        asyncio.run(story())

    on_the_queue(None)
    engine = Engine(
        shell=shell,
        commands=[[str(PYTHON), "documents.py"]],
        say=on_the_queue,
        settings={**KILLED_SOON, "PGQUEUER_URL": url},
    )

    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once(engine, graph)
