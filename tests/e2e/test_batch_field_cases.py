"""Field cases of repairing many at once: what each document came to is told, and so is the end."""

from typing import Any

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Ran, Shell
from tests.e2e.old_documents import BEGAN, IMPORT, file_of, finished, line

PLAN = ("batch", "plan", "-o", "p.jsonl", "--json")
APPLY = ("batch", "apply", "p.jsonl", "--max-share", "1", "--json")


def in_adsets(shell: Shell, graph: FakeGraph, *names: str) -> None:
    """A healthy document, and a broken one for each name, d1 on, each in an ad set of its own; all
    of it was made."""
    world = graph.world
    lines: list[dict[str, Any]] = [finished("healthy", healthy="900")]
    for number, name in enumerate(names, 1):
        adset = str(2_100 + number)
        world.place("adsets", adset, parent_id="1501", name=adset)
        ad = world.colleague_creates("ads", name, parent_id=adset)
        ad.created_time = world.stamp("act_1001", BEGAN)
        place = {"container": {"kind": "adset", "id": adset}}
        lines.append(line(f"d{number:02}", name, **place))
    assert shell.run("import", file_of(shell, *lines), *IMPORT).code == 0


def planned(ran: Ran) -> list[str]:
    """What a plan says of each document."""
    return [one["reason"] or one["after"] for one in ran.json["documents"]]


def results(ran: Ran) -> list[str]:
    """What a report says of each document, in the order of their ids."""
    documents = sorted(ran.json["documents"], key=lambda one: one["document_id"])
    return [one["after"] if one["result"] == "changed" else one["reason"] for one in documents]


def test_the_end_of_a_batch_is_told_by_its_status_and_in_full(
    shell: Shell, graph: FakeGraph
) -> None:
    """R091: three are recovered, one cannot be proven, one was not listed to its end; then none of
    what is left; then all of it; then there is nothing to do."""
    in_adsets(shell, graph, "A", "B", "C", "D", "E")
    twin = graph.world.colleague_creates("ads", "D", parent_id="2104")
    twin.created_time = graph.world.stamp("act_1001", BEGAN)

    graph.faults.add("page_error", count=None, on_node="2105")
    plan, first = shell.run(*PLAN), shell.run(*APPLY)
    again, none = shell.run(*PLAN), shell.run(*APPLY)
    graph.faults.clear()
    rest, last = shell.run(*PLAN), shell.run(*APPLY)
    over, nothing = shell.run(*PLAN), shell.run(*APPLY)

    assert planned(plan) == [*["published"] * 3, "ambiguous", "listing_incomplete"]
    assert results(first) == [*["published"] * 3, "held", "listing_incomplete"]
    assert (plan.code, first.code) == (5, 3)
    assert planned(again) == results(none) == ["listing_incomplete"]
    assert (again.code, none.code) == (5, 5)
    assert (planned(rest), results(last)) == (["published"], ["published"])
    assert (rest.code, last.code) == (0, 0)
    assert (planned(over), results(nothing), over.code, nothing.code) == ([], [], 0, 0)


@pytest.mark.parametrize("subcode", [463, 467])
def test_a_token_that_ends_on_the_way_is_met_once_and_the_rest_is_told_as_not_tried(
    shell: Shell, graph: FakeGraph, subcode: int
) -> None:
    """R095: three of ten are done, the others are left as they were, and the next run begins with
    the fourth."""
    in_adsets(shell, graph, *"ABCDEFGHIJ")

    ends = graph.faults.add(f"access_lost:subcode={subcode}", count=None, nth=4, on_edge="ads")
    plan, first = shell.run(*PLAN), shell.run(*APPLY)
    graph.faults.clear()
    rest, last = shell.run(*PLAN), shell.run(*APPLY)

    assert planned(plan) == [*["published"] * 3, *["access"] * 7]
    assert results(first) == [*["published"] * 3, *["access"] * 7]
    assert (plan.code, first.code) == (5, 5)
    assert (ends.seen, ends.struck) == (4, 1), "one refusal, not seven"
    assert [one["document_id"] for one in rest.json["documents"]] == [
        f"d{number:02}" for number in range(4, 11)
    ]
    assert (planned(rest), results(last)) == (["published"] * 7, ["published"] * 7)
    assert (rest.code, last.code) == (0, 0)
