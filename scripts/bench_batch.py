"""Times a batch over a heap of broken documents: plan and apply, beside one at a time."""

import argparse
import asyncio
import csv
import json
import logging
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from adapters.bootstrap import open_reconciler
from adapters.settings import load_settings
from fixtures.bench.batch_commands import Runner
from fixtures.bench.batch_heap import Size, gone_before, pages_of, write_lines
from fixtures.bench.batch_kills import killed
from fixtures.bench.batch_report import Figures, show
from fixtures.bench.batch_world import serving_heap
from fixtures.bench.report import machine_facts
from fixtures.graph.answering import TOKEN
from fixtures.postgres_server import running_postgres

PREFIX: Final = "RECONCILER_"
SAMPLE_MAX: Final = 500
PLAN: Final = ("batch", "plan", "-o", "plan.jsonl")
APPLY: Final = ("batch", "apply", "plan.jsonl", "--max-share", "1", "--csv", "applied.csv")


def bench_batch(wanted: argparse.Namespace) -> bool:
    """Make the heap, take it over, recover a sample one at a time, plan and apply the rest."""
    size = Size(
        documents=wanted.documents,
        containers=wanted.containers or max(1, wanted.documents // 200),
        entities=wanted.entities or wanted.documents * 4,
        seed=wanted.seed,
    )
    with (
        Console(stderr=True).status("making the heap") as status,
        tempfile.TemporaryDirectory(prefix="reconciler-bench-", dir=wanted.dir) as name,
        serving_heap(size) as url,
        _database(wanted.database, Path(name)) as database,
    ):
        environment = _environment(url, database)
        plain = Runner(folder=Path(name), settings=environment)
        runner = Runner(folder=Path(name), settings=environment, profiled=wanted.profile)
        facts = _made(size, plain.folder)
        status.update("importing")
        plain.run("migrate")
        told = ("old.jsonl", "--worker-gone-before", gone_before(size), "--json")
        imported = plain.run("import", *told)
        status.update("recovering a sample one at a time")
        count = min(SAMPLE_MAX, size.documents // 10)
        sample = random.Random(size.seed).sample(facts.pop("ids"), count)  # noqa: S311
        alone = asyncio.run(_one_at_a_time(environment, sample))
        status.update("planning")
        planned = runner.run(*PLAN)
        head, wanted_states = _head(plain.folder / "plan.jsonl"), _wanted_states(plain)
        status.update("applying")
        kills = killed(plain, *APPLY, kills=wanted.kills, seed=size.seed)
        applied = runner.run(*APPLY)
        show(
            figures := Figures(
                what=f"{size.documents:,} broken documents, {size.containers:,} containers,"
                f" {facts.pop('entities'):,} entities, {wanted.database}",
                documents=size.documents - count,
                imported=imported,
                planned=planned,
                applied=applied,
                file_bytes=(plain.folder / "plan.jsonl").stat().st_size,
                asked=head["pages"],
                walks=head["walks"],
                walked_twice=head["walked_twice"],
                results=_results(plain.folder / "applied.csv"),
                kills=kills,
                is_as_planned=_states(plain) == wanted_states,
                sample=count,
                alone=alone,
                **facts,
            ),
            machine=machine_facts(),
        )
    return figures.is_met


def _made(size: Size, folder: Path) -> dict[str, Any]:
    """Write the file to import; what is left of the heap are its figures."""
    made = size.heap()
    write_lines(folder / "old.jsonl", size, made)
    return {
        "ids": [old.id for old in made.broken],
        "entities": sum(map(len, made.rows.values())),
        "pages": sum(pages_of(made).values()),
        "imported_documents": len(made.broken) + len(made.healthy),
    }


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'ledger.db'}"
        return
    with running_postgres(fsync="on", autovacuum="on") as server:  # as people run it
        yield server.url()


def _environment(url: str, database: str) -> Mapping[str, str]:
    return {
        f"{PREFIX}DATABASE_URL": database,
        f"{PREFIX}GRAPH_URL": url,
        f"{PREFIX}GRAPH_TOKEN": TOKEN,
    }


async def _one_at_a_time(environment: Mapping[str, str], ids: Sequence[str]) -> float:
    """Documents a second, each recovered by itself in one process that is already there."""
    given = {name.removeprefix(PREFIX).lower(): value for name, value in environment.items()}
    logging.disable()  # it tells what is held, which here are many
    async with open_reconciler(load_settings(**given)) as product:
        began = time.perf_counter()
        for document_id in ids:
            await product.recover(document_id)
        return len(ids) / (time.perf_counter() - began)


def _head(path: Path) -> Mapping[str, Any]:
    with path.open("rb") as stream:
        head: Mapping[str, Any] = json.loads(stream.readline())
    return head


def _states(runner: Runner) -> Counter[str]:
    """How many documents are in each state."""
    return Counter(runner.run("list", "--json").shape["counts"])


def _wanted_states(runner: Runner) -> Counter[str]:
    """How many will be when the plan is carried out."""
    states = _states(runner)
    with (runner.folder / "plan.jsonl").open("rb") as stream:
        for change in (json.loads(line).get("change") for line in stream):
            if change is not None:
                states.subtract([change["from"]])
                states.update([change["to"]])
    return +states


def _results(path: Path) -> Mapping[str, int]:
    with path.open(encoding="utf-8", newline="") as stream:
        return Counter(row["result"] for row in csv.DictReader(stream))
