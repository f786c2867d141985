"""docs/recipes/dbos.md as it stands there, on real processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from dbos import DBOSClient, EnqueueOptions, run_dbos_database_migrations

from fixtures.graph.app import FakeGraph
from fixtures.postgres_databases import PostgresDatabases
from tests.e2e.command_line import Shell
from tests.e2e.gate import Gate
from tests.e2e.recipes.engine_story import (
    PYTHON,
    Engine,
    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once,
    programs_of,
)
from tests.e2e.test_cli_worker import ads, queued, wait_until

MACHINE = 'os.environ["MACHINE"]'
"""In place of the machine's name, for two machines on one."""


@dataclass(frozen=True)
class Place:
    """Where the program is, and the database of the ledger and of DBOS."""

    shell: Shell
    url: str

    def machine(self, name: str) -> Engine:
        return Engine(
            shell=self.shell,
            commands=[[str(PYTHON), "documents.py"]],
            say=self.say,
            settings={"DBOS_DATABASE_URL": self.url, "MACHINE": name},
        )

    def say(self, ids: Sequence[str]) -> None:
        """Each time as a workflow that is joined with no other."""
        client = DBOSClient(system_database_url=self.url)
        try:
            for document_id in ids:
                options = EnqueueOptions(workflow_name="drive", queue_name="documents")
                client.enqueue(options, document_id)
        finally:
            client.destroy()


@pytest.fixture
def place(bare_shell: Shell, databases: PostgresDatabases) -> Place:
    """One database for both, where DBOS was first."""
    (program,) = programs_of("dbos.md")
    assert "platform.node()" in program
    url = databases.new()
    shell = Shell(bare_shell.folder, {**bare_shell.settings, "RECONCILER_DATABASE_URL": url})
    (shell.folder / "documents.py").write_text(program.replace("platform.node()", MACHINE))
    run_dbos_database_migrations(system_database_url=url)
    assert shell.run("migrate").code == 0
    return Place(shell, url)


def test_dbos_drives_documents_through_its_death(place: Place, graph: FakeGraph) -> None:
    """The machine comes back, and DBOS takes up its workflows."""
    engine = place.machine("one")

    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once(engine, graph)


def test_what_a_machine_of_dbos_had_in_hand_needs_no_return_of_that_machine(
    place: Place, graph: FakeGraph
) -> None:
    """DBOS joins whatever is said of a document to the workflow that is with the dead."""
    document_id = queued(place.shell, "Spring / 1", "Spring / 2")
    gate = Gate(graph, after_commit=True)
    with place.machine("one").running() as first:
        gate.wait_until_reached()
        first.kill()
    gate.open()
    with place.machine("two").running() as second:
        wait_until(place.shell, document_id)

    assert ads(graph) == ["Spring / 1", "Spring / 2"], second.said
