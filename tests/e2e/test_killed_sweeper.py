"""A sweeper that is killed stops nobody's sweeping for longer than its lease (R068, R070)."""

from __future__ import annotations

import time
from typing import Final

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Ran, Shell

LEASE_SECONDS: Final = 8
SECONDS_MAX: Final = 60
TIMES: Final = {
    "RECONCILER_LEASE_SECONDS": str(LEASE_SECONDS),
    "RECONCILER_CALL_TIMEOUT_SECONDS": "2",
}


def left_unanswered(shell: Shell, graph: FakeGraph) -> str:
    """A document whose create was made and not answered, and that no look has found yet."""
    graph.faults.add("reply_lost_after_commit")
    graph.faults.add("page_error:count=all")
    document_id = shell.submitted("1")
    assert shell.run("publish", document_id, **TIMES).code == 5
    graph.faults.clear()
    return document_id


def kill_a_sweep_at_its_listing(shell: Shell, graph: FakeGraph) -> None:
    """SIGKILL while the API keeps it waiting: its leases, on sweeping and the document, stay."""
    graph.faults.add("hang:method=GET,count=all")
    listings, deadline = graph.count("GET"), time.monotonic() + SECONDS_MAX
    patient = {**TIMES, "RECONCILER_CALL_TIMEOUT_SECONDS": "5"}
    while graph.count("GET") == listings:
        assert time.monotonic() < deadline, "no sweep ever looked"
        sweeping = shell.start("sweep", **patient)
        while sweeping.poll() is None and graph.count("GET") == listings:
            pass
        sweeping.kill()
        sweeping.communicate()
    graph.faults.clear()


def sweep(shell: Shell) -> Ran:
    """One pass by hand."""
    return shell.run("sweep", "--json", **TIMES)


def test_another_sweep_follows_a_killed_one_once_its_lease_has_ended(
    shell: Shell, graph: FakeGraph
) -> None:
    document_id = left_unanswered(shell, graph)
    kill_a_sweep_at_its_listing(shell, graph)
    killed_at = time.monotonic()

    first = sweep(shell)
    while not (swept := sweep(shell)).json["documents"]:
        assert time.monotonic() - killed_at < SECONDS_MAX, "nobody ever swept again"

    assert (first.code, first.json["held_by_another"]) == (5, True)
    assert swept.json["counts"]["found"] == 1
    assert [done["document_id"] for done in swept.json["documents"]] == [document_id]
    assert graph.count("POST") == 1  # the one of `publish`: no sweep ever creates
