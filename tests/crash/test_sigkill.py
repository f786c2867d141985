"""Real processes, killed with SIGKILL at every effect of a publish, on each database and a socket.

They prove what the simulated cuts cannot: that a commit is on the disk, that nothing runs in a
`finally`, and that a fresh process recovers from the ledger alone. The processes share one ledger.
The oracle is the fake's own log.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from adapters.bootstrap import Reconciler, migrate, open_reconciler
from adapters.settings import Settings, load_settings
from fixtures.graph.answering import TOKEN
from fixtures.graph.socket_server import fake_process
from fixtures.postgres_server import running_postgres
from reconciler.model import Document, DocumentState, Grade
from tests.crash.driver import EFFECTS
from tests.crash.plans import ads

ROOT = Path(__file__).resolve().parents[2]
Cell = tuple[str, str]
CELLS = [(effect, when) for effect in EFFECTS for when in ("before", "after")]
ROUNDS_MAX = 200

SHORT = {
    "lease_seconds": 6,
    "lease_margin_seconds": 0.2,
    "call_timeout_seconds": 3,  # an answer of the fake takes one on a busy machine
    "late_landing_seconds": 0.3,
    "listing_lag_seconds": 0.2,
    "backoff_base_seconds": 0.05,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How one cell ended: the killed process' code, the document, and what exists outside."""

    killed: int
    document: Document
    made: list[str]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def database_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A file, or a database of a server that the product takes."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('ledger') / 'reconciler.db'}"
        return
    with running_postgres(fsync="on") as server:
        yield server.url()


@pytest.fixture(scope="module")
def cells(database_url: str) -> dict[Cell, Ended]:
    """Every cell played."""
    with fake_process("--seed", "7") as url:
        settings = load_settings(
            database_url=database_url, graph_url=url, graph_token=TOKEN, **SHORT
        )
        migrate(settings)
        documents = asyncio.run(submitted(settings))
        codes = killed(settings, documents)
        recovered = asyncio.run(recovered_by_a_fresh_process(settings, documents))
        log = httpx.get(f"{url}/_fake/world", timeout=10).json()["log"]
    return {
        cell: Ended(
            killed=codes[cell],
            document=recovered[cell],
            made=[entry["id"] for entry in log if entry["name"] == _name(cell)],
        )
        for cell in CELLS
    }


async def submitted(settings: Settings) -> dict[Cell, str]:
    """One document a cell."""
    async with open_reconciler(settings) as product:
        return {cell: (await product.submit(ads(_name(cell)))).document.id for cell in CELLS}


def killed(settings: Settings, documents: dict[Cell, str]) -> dict[Cell, int]:
    """Publish each in a process that is killed; returns how those ended, two at a time."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "RECONCILER_DATABASE_URL": settings.database_url.get_secret_value(),
        "RECONCILER_GRAPH_URL": settings.graph_url,
        "RECONCILER_GRAPH_TOKEN": TOKEN,
        **{f"RECONCILER_{name.upper()}": str(value) for name, value in SHORT.items()},
    }

    def publish(cell: Cell) -> int:
        command = [sys.executable, "-m", "tests.crash.driver", documents[cell], *cell]
        return subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, timeout=60, check=False
        ).returncode

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(CELLS, pool.map(publish, CELLS), strict=True))


async def recovered_by_a_fresh_process(
    settings: Settings, documents: dict[Cell, str]
) -> dict[Cell, Document]:
    """This process knows nothing of the killed ones but the ledger they left."""
    async with open_reconciler(settings) as product:
        rested = await asyncio.gather(*(_rested(product, documents[cell]) for cell in CELLS))
    return dict(zip(CELLS, rested, strict=True))


async def _rested(product: Reconciler, document_id: str) -> Document:
    document = (await product.publish(document_id)).view.document
    for _ in range(ROUNDS_MAX):
        if document.state not in (DocumentState.QUEUED, DocumentState.PUBLISHING):
            break
        await product.outside.clock.sleep(timedelta(milliseconds=100))
        document = (await product.advance(document_id)).view.document
    return document


def _name(cell: Cell) -> str:
    effect, when = cell
    return f"Killed {when} {effect}"


@pytest.mark.parametrize("cell", CELLS, ids=[f"{when}-{effect}" for effect, when in CELLS])
def test_a_killed_process_leaves_one_entity_and_a_fresh_one_knows_it(
    cells: dict[Cell, Ended], cell: Cell
) -> None:
    ended = cells[cell]
    ids = [item.intent.external_id for item in ended.document.items if item.intent]

    assert ended.killed == -signal.SIGKILL
    assert ended.document.state is DocumentState.PUBLISHED
    assert len(ended.made) == 1
    assert ids == ended.made


@pytest.mark.parametrize("cell", [("create", "after"), ("answer", "before")])
def test_what_was_made_and_never_saved_is_found_by_its_mark(
    cells: dict[Cell, Ended], cell: Cell
) -> None:
    intents = [item.intent for item in cells[cell].document.items]

    assert [intent.found_by for intent in intents if intent] == [Grade.MARK]
