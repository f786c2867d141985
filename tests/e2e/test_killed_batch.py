"""A batch that is killed twenty times at random ends as one that nobody touched.

`KILLED_SEED` in the environment draws other places to die at.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from typing import Any

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.old_documents import IMPORT, file_of, finished, line, made
from tests.repo.tree import ROOT

SEED = int(os.environ.get("KILLED_SEED", "0"))
KILLS, LATEST, TOGETHER = 20, 90, 4
"""Statements until a death, at most, and documents in one commit: about three commits a life."""

PLAN = ("batch", "plan", "-o", "p.jsonl")
APPLY = ("batch", "apply", "p.jsonl", "--max-share", "1", "--json")

LEFT = {
    "document": "id, state, lease_owner, lease_epoch, recoveries, attempts_used, due_at, next_why",
    "item": "document_id, key, state",
    "intent": "document_id, key, facts, reason, external_id, found_by, created_time, attributes",
    "attempt": "document_id, number, outcome, error",
    "verdict": "document_id, item, verdict, reason",
    "surplus": "document_id, external_id, item",
    "journal": "document_id, sequence, kind, item",
    "batch_change": "document_id",
}
"""Everything that a run leaves, the times apart and what has a time in it."""


def test_a_batch_killed_at_random_ends_like_the_uninterrupted_one(
    shell: Shell, graph: FakeGraph
) -> None:
    lines = documents(graph)
    assert shell.run("import", file_of(shell, *lines), *IMPORT).code == 0
    assert shell.run(*PLAN).code == 0
    calm = undisturbed(shell, *lines)

    ends = killed(shell)
    last = shell.run(*APPLY).json["results"]

    assert Counter(ends)[signal.SIGKILL] >= KILLS / 2, f"seed {SEED}"
    assert last["before"] > 0, f"seed {SEED}"
    assert set(last) <= {"before", "changed"}, f"seed {SEED}"
    assert left(shell) == left(calm), f"seed {SEED}"


def documents(graph: FakeGraph) -> list[dict[str, Any]]:
    """What was made, what was not, two of a name, and one that was finished."""
    names = [f"n{number}" for number in range(72)]
    for name in names[::2]:
        made(graph, name)
    healthy = made(graph, "healthy")
    made(graph, "shared")
    return [
        finished("well", healthy=healthy),
        *(line(f"d{name}", name, *(["shared"] if name in names[:9] else [])) for name in names),
    ]


def undisturbed(shell: Shell, *lines: dict[str, Any]) -> Shell:
    """A second ledger over the same API, planned and applied in one go."""
    folder = shell.folder / "calm"
    folder.mkdir()
    calm = Shell(folder, shell.settings)
    assert calm.run("migrate").code == 0
    assert calm.run("import", file_of(calm, *lines), *IMPORT).code == 0
    assert calm.run(*PLAN).code == 0
    assert calm.run(*APPLY).json["results"] == {"changed": len(lines) - 1}
    return calm


def killed(shell: Shell) -> list[int]:
    """Apply it in processes that die on the way; the signals that ended them."""
    asked = [str(each) for each in (SEED, KILLS, LATEST, TOGETHER)]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.e2e.killed_batch", "p.jsonl", *asked],
        cwd=shell.folder,
        env={**shell.settings, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    ends: list[int] = json.loads(ran.stdout)
    return ends


def left(shell: Shell) -> dict[str, list[Any]]:
    """What stands in the ledger."""
    with closing(sqlite3.connect(shell.folder / "reconciler.db")) as connection:
        return {
            table: sorted(connection.execute(f"SELECT {columns} FROM {table}"), key=repr)
            for table, columns in LEFT.items()
        } | {"evidence": list(connection.execute("SELECT count(*) FROM evidence"))}
