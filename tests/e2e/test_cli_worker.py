"""Workers as real processes: they publish, drain, die and are followed; never a second ad."""

import json
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.gate import Gate

SECONDS_MAX = 60
SWIFT = {"RECONCILER_SWEEP_INTERVAL_SECONDS": "0.3"}
PATIENT = {"RECONCILER_LEASE_SECONDS": "90", "RECONCILER_CALL_TIMEOUT_SECONDS": "60"}
"""For a call that waits at a gate as long as it takes, on however busy a machine."""

ONE_AT_A_TIME = {"RECONCILER_CONCURRENCY": "1"}
KILLED_SOON = {"RECONCILER_LEASE_SECONDS": "8", "RECONCILER_CALL_TIMEOUT_SECONDS": "5"}
"""For a call that is cut within seconds, and a lease whose end is waited for."""


def ads(graph: FakeGraph) -> list[str]:
    """The names of all ads ever made, sorted."""
    return sorted(creation.name for creation in graph.world.log if creation.kind == "ad")


def queued(shell: Shell, *names: str) -> str:
    """The id of a new document of these ads that waits for a worker."""
    ran = shell.run("submit", shell.plan(*names), "--publish", "--json")
    assert ran.code == 0, ran
    return str(ran.json["document_id"])


def seen(shell: Shell, document_id: str) -> dict[str, object]:
    """The document as the ledger has it: this look triggers nothing."""
    shape: dict[str, object] = shell.run("show", document_id, "--no-recover", "--json").json
    return shape


def wait_until(shell: Shell, *ids: str, state: str = "published") -> None:
    """Return once all of them are there."""
    deadline = time.monotonic() + SECONDS_MAX
    while (found := {str(seen(shell, each)["state"]) for each in ids}) != {state}:
        assert time.monotonic() < deadline, f"still {found}"


@dataclass
class Working:
    """A worker process, and what it has told on stderr so far."""

    process: subprocess.Popen[str]
    told: list[str] = field(default_factory=list)

    def until_told(self, *wanted: str) -> None:
        """Read on until it told each of these, in whatever order."""
        assert self.process.stderr is not None
        while not all(any(each in line for line in self.told) for each in wanted):
            line = self.process.stderr.readline()
            assert line, f"it ended without telling {wanted}: {self.told}"
            self.told.append(line)

    def ended(self, by: signal.Signals | None = None) -> tuple[int, str]:
        """Its exit code and output, once it was told to stop."""
        if by is not None:
            self.process.send_signal(by)
        out, err = self.process.communicate(timeout=SECONDS_MAX)
        self.told += err.splitlines()
        return self.process.returncode, out


@contextmanager
def working(shell: Shell, *arguments: str, **settings: str) -> Iterator[Working]:
    """A worker process; killed at the end of the block if it still runs."""
    process = shell.start("worker", *arguments, **SWIFT, **settings)
    try:
        yield Working(process)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_publishes_what_is_queued_and_ends_in_order(
    shell: Shell, graph: FakeGraph, by: signal.Signals
) -> None:
    before = queued(shell, "1", "2")
    with working(shell) as worker:
        worker.until_told(f"{before} published (attempt 1 succeeded)")
        after = queued(shell, "3")
        worker.until_told(f"{after} published (attempt 1 succeeded)")
        code, out = worker.ended(by)

    assert code == 0
    assert out.startswith("attempts: 2 succeeded; ")
    assert ads(graph) == ["1", "2", "3"]


def test_an_engine_that_the_database_cannot_carry_is_refused(shell: Shell) -> None:
    ran = shell.run("worker", "--engine", "procrastinate")

    assert ran.code == 1
    assert "needs a ledger on PostgreSQL" in ran.err


def test_its_log_is_json_for_programs(shell: Shell) -> None:
    document_id = queued(shell, "1")
    with working(shell, "--json") as worker:
        worker.until_told('"ended"')
        code, out = worker.ended(signal.SIGTERM)

    lines = [json.loads(line) for line in worker.told if line.startswith("{")]
    assert code == 0
    assert json.loads(out) | {"sweeps": 0} == {
        "schema": "worker/1",
        "attempts": {"succeeded": 1},
        "sweeps": 0,
        "errors": 0,
    }
    assert [line["event"] for line in lines] == ["started", "taken", "ended", "stopping"]
    assert lines[2]["document_id"] == document_id


def test_a_person_is_told_to_wait_while_a_worker_is_there(shell: Shell, graph: FakeGraph) -> None:
    """It has its hands full; once it has ended it is the person's turn again."""
    gate = Gate(graph)
    queued(shell, "1")
    with working(shell, **PATIENT, **ONE_AT_A_TIME) as worker:
        gate.wait_until_reached()
        document_id = queued(shell, "2")
        meanwhile = seen(shell, document_id)["next"]
        worker.process.send_signal(signal.SIGTERM)
        worker.until_told("in hand")
        gate.open()
        worker.ended()

    assert isinstance(meanwhile, dict)
    assert (meanwhile["action"], meanwhile["why"]) == ("wait", "a worker will take it")
    newest = shell.run("list", "--json").json["documents"][0]
    assert (newest["document_id"], newest["next"]["action"]) == (document_id, "publish")


def test_a_signal_in_the_middle_of_a_wave_saves_what_is_in_flight_uncounted(
    shell: Shell, graph: FakeGraph
) -> None:
    """R013, R077: the reply comes after the signal; the rest is for the next worker."""
    gate = Gate(graph, nth=2)
    document_id = queued(shell, "1", "2", "3")
    with working(shell, **PATIENT, **ONE_AT_A_TIME) as worker:
        gate.wait_until_reached()
        worker.process.send_signal(signal.SIGTERM)
        worker.until_told("in hand")
        gate.open()
        assert worker.ended()[0] == 0

    document = shell.run("show", document_id, "--no-recover", "--json").json
    assert ads(graph) == ["1", "2"]
    assert [item["state"] for item in document["items"]] == ["confirmed", "confirmed", "absent"]
    assert [attempt["outcome"] for attempt in document["attempts"]] == ["handed_back"]
    assert (document["state"], document["lease"]) == ("queued", None)

    with working(shell) as follower:
        follower.until_told(f"{document_id} published")
    assert ads(graph) == ["1", "2", "3"]


def test_a_killed_worker_is_followed_and_nothing_is_made_twice(
    shell: Shell, graph: FakeGraph
) -> None:
    """R069, R070: the other was there before it died, leaves the live one alone, and finds it."""
    gate = Gate(graph, nth=2, after_commit=True)
    settings = KILLED_SOON | ONE_AT_A_TIME  # the third is written, and never sent
    with working(shell, **settings) as one, working(shell, **settings) as other:
        for each in (one, other):
            each.until_told("documents at once")
        document_id = queued(shell, "1", "2", "3")
        gate.wait_until_reached()
        killed, survivor = (one, other) if is_at_it(shell, document_id, one) else (other, one)
        killed.process.kill()
        gate.open()
        survivor.until_told(f"{document_id} published")
        code, _ = survivor.ended(signal.SIGTERM)

    attempts = shell.run("show", document_id, "--no-recover", "--json").json["attempts"]
    assert code == 0
    assert any("sweep: 1 found" in line for line in survivor.told)
    assert ads(graph) == ["1", "2", "3"]
    assert attempts[0]["outcome"] == "orphaned"
    assert len({attempt["owner"] for attempt in attempts}) == len(attempts)


def is_at_it(shell: Shell, document_id: str, worker: Working) -> bool:
    """Whether the lease is this process'."""
    lease = seen(shell, document_id)["lease"]
    assert isinstance(lease, dict)
    return f"-{worker.process.pid}-" in lease["owner"]


def test_workers_on_one_file_share_the_queue(shell: Shell, graph: FakeGraph) -> None:
    with ExitStack() as stack:
        workers = [stack.enter_context(working(shell, "--json")) for _ in range(2)]
        ids = [queued(shell, f"{number} / 1", f"{number} / 2") for number in range(12)]
        wait_until(shell, *ids)
        reports = [json.loads(worker.ended(signal.SIGTERM)[1]) for worker in workers]

    assert ads(graph) == sorted(f"{number} / {k}" for number in range(12) for k in (1, 2))
    assert sum(report["attempts"].get("succeeded", 0) for report in reports) == 12
    assert [report["errors"] for report in reports] == [0, 0]


def test_a_second_signal_ends_a_worker_at_once(shell: Shell, graph: FakeGraph) -> None:
    """Safe: what was sent is on record, for the next look."""
    gate = Gate(graph, nth=1, after_commit=True)
    document_id = queued(shell, "1")
    with working(shell, **PATIENT) as worker:
        gate.wait_until_reached()
        worker.process.send_signal(signal.SIGTERM)
        worker.until_told("once more stops at once")
        code, _ = worker.ended(signal.SIGTERM)
        gate.open()

    document = shell.run("show", document_id, "--no-recover", "--json").json
    assert code == 143
    assert (document["state"], document["items"][0]["state"]) == ("publishing", "pending")
    assert ads(graph) == ["1"]


def test_a_sweep_finds_what_a_killed_publish_made(shell: Shell, graph: FakeGraph) -> None:
    """One pass by hand, or by cron: it takes over and looks, and creates nothing."""
    gate = Gate(graph, nth=1, after_commit=True)
    document_id = shell.submitted("1", "2")
    publishing = shell.start("publish", document_id, **KILLED_SOON)
    gate.wait_until_reached()
    publishing.kill()
    publishing.communicate()
    gate.open()
    deadline = time.monotonic() + SECONDS_MAX

    while not (swept := shell.run("sweep", "--json")).json["documents"]:
        assert time.monotonic() < deadline, "never taken over"

    assert swept.code == 0
    assert swept.json["schema"] == "sweep/1"
    assert swept.json["counts"] | {"found": 1} == dict.fromkeys(swept.json["counts"], 0) | {
        "found": 1
    }
    assert swept.json["documents"] == [
        {
            "document_id": document_id,
            "due": "takeover",
            "before": "publishing",
            "after": "queued",
            "reason": None,
            "surplus": 0,
        }
    ]
    assert ads(graph) == ["1"]


def test_a_sweep_of_nothing_says_so(shell: Shell) -> None:
    shell.submitted("1")

    ran = shell.run("sweep")

    assert (ran.code, ran.out) == (0, "nothing was due\n")


def test_a_sweep_beside_another_does_nothing_and_says_run_again(shell: Shell) -> None:
    with sqlite3.connect(shell.folder / "reconciler.db") as ledger:
        ledger.execute("UPDATE sweeper SET owner = 'another', until = 9000000000000000")
    ledger.close()

    ran = shell.run("sweep", "--json")

    assert (ran.code, ran.json["held_by_another"]) == (5, True)

    told = shell.run("sweep")
    assert (told.code, told.out) == (5, "nothing was done here\n")
    assert "another sweep is under way" in told.err
