"""What a person is told to type after a plan and after a report."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console, RenderableType

from adapters.cli.batch_page import page
from adapters.cli.batch_picture import plan_picture, report_picture
from adapters.shapes import batch_report, plan_report
from reconciler.batch_refusal import FEW, too_bold
from reconciler.batch_values import AccountPlan, Head


def drawn(picture: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=300, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(picture, crop=False)
    return captured.get()


def head(*, documents: int, claims: int) -> Head:
    account = AccountPlan(documents=documents, planned=claims, claims=claims, changes=claims)
    at = datetime(2026, 3, 10, 12, tzinfo=UTC)
    return Head(run="r", at=at, ledger="l", settings={}, accounts={"act_1": account})


def of_plan(head: Head) -> str:
    shape = plan_report(head, [], "p.jsonl")
    shape["examples"] = {"seed": 1, "of": 0, "documents": []}
    return drawn(plan_picture(shape, too_bold(head)))


def of_report(results: Counter[str], states: dict[str, int], *troubles: dict[str, Any]) -> str:
    shape = batch_report("r", results, [], troubles)
    return drawn(report_picture(shape | {"results": results, "states": states, "reasons": {}}))


def test_a_plan_that_apply_will_refuse_names_the_examples_and_the_share() -> None:
    told = of_plan(head(documents=40, claims=FEW + 1))

    assert "apply refuses it, for too much of act_1 would be claimed" in told
    assert "batch plan --examples 20" in told
    assert "reconciler batch apply p.jsonl --max-share 1" in told


@pytest.mark.parametrize(("documents", "claims"), [(FEW, FEW), (42, 21)])
def test_a_plan_within_the_bound_is_applied_as_it_is(documents: int, claims: int) -> None:
    told = of_plan(head(documents=documents, claims=claims))

    assert (
        "next: reconciler batch apply p.jsonl\n"
        in "\n".join(line.rstrip() for line in told.splitlines()) + "\n"
    )
    assert "--max-share" not in told


def test_a_plan_says_what_was_asked_of_the_activity_log_and_where_it_did_not_answer() -> None:
    asked = head(documents=9, claims=1)
    asked.log_pages, asked.log = 12, Counter(told=5, unread=3, beyond=1)

    told = of_plan(asked)

    assert "activity log: 12 pages asked for, about 9 documents" in told
    assert "did not show the log for 3 documents: judged without it; plan again" in told
    assert "too long for 1 documents: nothing is claimed for them by name" in told
    assert "activity log" not in of_plan(head(documents=9, claims=1))


def test_a_plan_says_of_how_many_rows_a_log_that_was_read_told_nothing_and_what_to_do() -> None:
    asked = head(documents=9, claims=1)
    asked.log = Counter(told=5)
    asked.log_rows = Counter(asked=1800, untold=1200, claimed=7, documents=4)

    told = of_plan(asked)

    assert "told nothing of 1,200 of the 1,800 rows it was asked about, in 4 documents" in told
    assert "7 would be claimed by name and time" in told
    assert "plan again later; --json names the rows" in told
    assert "RECONCILER_LEGACY_EVIDENCE=provenance" in told
    asked.log_rows["untold"] = 0
    assert "told nothing" not in of_plan(asked)


def test_after_a_revert_the_command_that_judges_held_documents_is_named() -> None:
    told = of_report(Counter(changed=2), {"held": 2})

    assert "reconciler batch plan --held judges it anew" in told


def test_what_was_done_before_and_taken_back_since_is_said() -> None:
    since = {"result": "before", "why": "taken back by a revert since", "count": 104}
    told = of_report(Counter(before=104), {}, since | {"examples": ["d1"]})

    assert "before  104: taken back by a revert since" in told
    assert "what was taken back waits for a person: reconciler batch plan --held" in told
    assert "taken back" not in of_report(Counter(before=104), {})


@pytest.mark.parametrize(
    ("walks", "pages", "twice", "says"),
    [
        (7, 6, 2, "7 walks, 6 pages in all; 2 containers twice, for an absence rests on two"),
        (1, 1, 1, "1 walk, 1 page in all; 1 container twice, for an absence rests on two"),
    ],
)
def test_walks_and_pages_are_counted_each_by_itself_on_the_page_too(
    walks: int, pages: int, twice: int, says: str
) -> None:
    listed = replace(head(documents=1, claims=1), walks=walks, pages=pages, walked_twice=twice)

    applied = batch_report("r", Counter(), [], []) | {"results": {}, "states": {}, "reasons": {}}

    assert f"listed in {says}" in of_plan(listed)
    assert f"{says}." in page(applied, listed)
