"""docs/recipes/procrastinate.md as it stands there, in one database with our own engine."""

from __future__ import annotations

import json
import re
import subprocess
import time
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from fixtures.graph.app import FakeGraph
from fixtures.postgres_databases import PostgresDatabases
from tests.crash.plans import Plan
from tests.crash.plans import ads as plan_of
from tests.e2e.command_line import PROGRAM, Shell
from tests.e2e.gate import Gate
from tests.e2e.recipes.engine_story import PYTHON, Engine, programs_of
from tests.e2e.test_cli_worker import SECONDS_MAX, ads, queued, wait_until
from tests.repo.tree import ROOT

OWN_SCHEMA = "?options=-csearch_path%3Dreconciler"
SOON = {"*/10": "*/1", "SILENCE_SECONDS = 30": "SILENCE_SECONDS = 2"}
"""What a test cannot wait for; the rest of the page is as it stands."""

JOBS = "SELECT status::text FROM procrastinate_jobs WHERE task_name = 'publish'"
ACCEPT = "import asyncio, json, sys, publisher as p; asyncio.run(p.accept(json.load(sys.stdin)))"


@dataclass(frozen=True)
class Theirs:
    """An application of somebody's, whose database holds a ledger too."""

    url: str
    shell: Shell

    def rows(self, query: str) -> list[Any]:
        with psycopg.connect(self.url) as connection:
            return connection.execute(query.encode()).fetchall()

    def wait_until(self, wanted: tuple[Any, ...], query: str) -> None:
        """Return once this is the only row."""
        deadline = time.monotonic() + SECONDS_MAX
        while (found := self.rows(query)) != [wanted]:
            assert time.monotonic() < deadline, f"still {found}"

    def accept(self, plan: Plan) -> None:
        """As their web application does."""
        subprocess.run(
            [PYTHON, "-c", ACCEPT],
            input=json.dumps(plan).encode(),
            cwd=self.shell.folder,
            env={**self.shell.settings, "APP_DATABASE_URL": self.url},
            check=True,
        )

    def running(self, *more: str) -> Engine:
        """Their worker, and whatever is to run beside it."""
        commands = [[str(PYTHON), "worker.py"], *([str(PROGRAM), one] for one in more)]
        settings = {"APP_DATABASE_URL": self.url, "RECONCILER_SWEEP_INTERVAL_SECONDS": "0.3"}
        return Engine(shell=self.shell, commands=commands, settings=settings, say=lambda _: None)


@pytest.fixture
def theirs(bare_shell: Shell, databases: PostgresDatabases) -> Theirs:
    """Procrastinate's tables and the orders were there first."""
    url = databases.new()
    page = (ROOT / "docs" / "recipes" / "procrastinate.md").read_text()
    (orders,) = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    with psycopg.connect(url) as connection:
        for script in (SchemaManager.get_schema(), orders, "CREATE SCHEMA reconciler"):
            connection.execute(script.encode())
    settings = {**bare_shell.settings, "RECONCILER_DATABASE_URL": url + OWN_SCHEMA}
    shell = Shell(bare_shell.folder, settings)
    assert OWN_SCHEMA in page
    assert shell.run("migrate").code == 0
    return Theirs(url, shell)


def test_a_job_of_ones_own_makes_each_item_once_beside_the_engine_in_one_database(
    theirs: Theirs, graph: FakeGraph
) -> None:
    """It dies in the create; its job runs again, while a worker of ours does work of its own."""
    publisher, worker = programs_of("procrastinate.md")
    for usual, soon in SOON.items():
        assert usual in publisher
        publisher = publisher.replace(usual, soon)
    (theirs.shell.folder / "publisher.py").write_text(publisher)
    (theirs.shell.folder / "worker.py").write_text(worker)
    (theirs.shell.folder / "sending.py").write_text(programs_of("asyncio.md")[0])
    theirs.accept(plan_of("Spring / 1", "Spring / 2"))
    assert theirs.rows("SELECT o.xmin = j.xmin FROM orders o, procrastinate_jobs j") == [(True,)]

    gate = Gate(graph, nth=2, after_commit=True)
    with theirs.running().running() as first:
        gate.wait_until_reached()
        first.kill()
    gate.open()
    ours = queued(theirs.shell, "Autumn / 1")
    with theirs.running("worker").running() as second:
        wait_until(theirs.shell, ours)
        theirs.wait_until(("succeeded",), JOBS)
        second.end()

    made = {one.name: one.id for one in graph.world.log if one.kind == "ad" and one.request}
    assert ads(graph) == ["Autumn / 1", "Spring / 1", "Spring / 2"], second.said
    assert theirs.rows("SELECT made FROM orders") == [
        ({"a1": made["Spring / 1"], "a2": made["Spring / 2"]},)
    ], second.said
    tasks = theirs.rows("SELECT DISTINCT task_name FROM procrastinate_jobs ORDER BY 1")
    assert tasks == [("publish",), ("take_over",)]
