"""Once a person has decided, the page says so, and the look keeps its own word beside it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from fixtures.stage import Stage
from tests.integration.web.page import scenes
from tests.integration.web.page.browsing import Browser, browsed, decision_of, place_of, seen
from tests.integration.web.page.markup import Element
from tests.integration.web.page.test_page_decision import previewed, recorded


def verdicts(stage: Stage, document_id: str) -> list[str]:
    page: Element = seen(stage, place_of(document_id))
    return [one.text for one in page.one("section", class_="funnel").all("p", class_="verdict")]


def decided(stage: Stage, document_id: str, **given: str) -> datetime:
    """When the journal says that it was recorded."""

    async def browsing(browser: Browser) -> None:
        place = decision_of(document_id)
        await recorded(browser, place, await previewed(browser, place, **given))

    browsed(stage, browsing)
    return stage.time.run(stage.ledger.journal(document_id))[-1].at


@pytest.mark.parametrize(
    ("choice", "says"),
    [("adopt:{0}", "this row is it {0}"), ("hold", "not now: it stays held")],
)
def test_the_verdict_says_what_was_decided_by_whom_and_when(
    stage: Stage, choice: str, says: str
) -> None:
    document_id, made = scenes.held_before_two(stage)
    before = verdicts(stage, document_id)

    at = decided(stage, document_id, choice=choice.format(*made))
    stage.time.pass_(timedelta(minutes=5))

    assert before[0].startswith("?inconclusive: a person must decide ambiguous")
    said, look = verdicts(stage, document_id)
    assert said.startswith(f"»a person decided {says.format(*made)} by this machine")
    assert f"{at:%Y-%m-%d %H:%M:%S}" in said
    assert look.startswith("the look itself: .inconclusive ambiguous more rows fit")
    page = seen(stage, decision_of(document_id))
    assert any(one.text.startswith("»a person decided") for one in page.all("p", class_="lead"))


def test_that_none_is_it_is_told_too(stage: Stage) -> None:
    document_id, _ = scenes.held_beside_a_stranger(stage)

    decided(stage, document_id, choice="none")

    said, look = verdicts(stage, document_id)
    assert said.startswith("»a person decided no row is it: it was not made by this machine")
    assert "echo_unproven" in look


def test_a_look_after_the_decision_has_the_last_word(stage: Stage) -> None:
    document_id, _ = scenes.held_before_two(stage)
    decided(stage, document_id, choice="hold")
    stage.time.pass_(timedelta(minutes=5))

    async def looking(browser: Browser) -> None:
        page = await browser.page(place_of(document_id))
        await browser.send("", page.one("div", class_="others").all("form")[0])

    browsed(stage, looking)

    [verdict] = verdicts(stage, document_id)
    assert verdict.startswith("?inconclusive: a person must decide")


def test_a_surplus_recorded_later_does_not_date_the_decision_anew(stage: Stage) -> None:
    document_id, made = scenes.with_surplus(stage)
    before = verdicts(stage, document_id)
    stage.time.pass_(timedelta(minutes=20))

    decided(stage, document_id, **{f"also:{made[1]}": "1"})

    assert verdicts(stage, document_id) == before
    assert "by ann" in before[0]
