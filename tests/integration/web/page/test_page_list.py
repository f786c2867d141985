"""The list: what it counts, how it is narrowed, and that nothing of another account shows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import httpx

from adapters.store.finding import Which
from adapters.store.listed_state import ListedState
from adapters.web import Scope
from adapters.web.page.routes_list import LINES_SHOWN
from fixtures.stage import Stage
from reconciler import pausing
from reconciler.model import DocumentState
from tests.crash.plans import ads
from tests.integration.web.page import scenes
from tests.integration.web.page.browsing import Browser, browsed, seen
from tests.integration.web.page.markup import Element, page_of

LIST: Final = "/documents"


def listed(page: Element) -> list[str]:
    """The ids of the lines."""
    return [one.text for one in page.all("a", class_="id")]


def numbers(page: Element) -> dict[str, str]:
    """The row above, by its words."""
    row = page.one("ul", class_="numbers")
    return {one.one("span").text: one.one("strong").text for one in row.all("li")}


def counts(page: Element) -> dict[str, str]:
    """What stands beside each state and filter."""
    found = {}
    for one in page.one("aside").all("a"):
        name = one.all("span")[1]
        words = name.text.removesuffix(" ".join(small.text for small in name.all("small")))
        found[words] = one.one("span", class_="n").text
    return found


def test_the_first_page_is_the_list(stage: Stage) -> None:
    document_id = scenes.published(stage)

    assert listed(seen(stage, "/")) == [document_id]


def test_a_ledger_without_documents_says_how_one_comes_in(stage: Stage) -> None:
    page = seen(stage, LIST)

    assert "reconciler submit PLAN.json" in page.one("p", class_="empty").text
    assert numbers(page)["oldest unsettled"] == "–"


def test_the_numbers_above_and_the_counts_beside_are_those_of_the_ledger(stage: Stage) -> None:
    scenes.published(stage)
    scenes.held_before_two(stage)
    scenes.with_surplus(stage)
    scenes.crashed(stage)
    scenes.paused(stage)

    page = seen(stage, LIST)

    assert numbers(page) == {
        "unsettled": "1",
        "oldest unsettled": "2 min",
        "needs a person": "2",
        "with surplus": "1",
        "recovered in 24 h": "0",
        "throttled accounts": "0",
        "paused accounts": "1",
    }
    beside = counts(page)
    assert (beside["all"], beside["published"], beside["held"]) == ("5", "2", "1")
    assert (beside["crashed"], beside["surplus"]) == ("1", "1")
    assert "budget review until Friday" in page.one("div", class_="note").text


def test_the_command_that_ends_a_pause_can_be_pasted_whatever_the_account_is_called(
    stage: Stage,
) -> None:
    stage.time.run(pausing.pause("act_1; reboot", "budget review", stage.process()))

    note = seen(stage, LIST).one("div", class_="warn")

    assert note.one("code").text == "reconciler resume 'act_1; reboot'"


def test_a_throttled_account_is_named_with_the_time_at_which_it_opens(stage: Stage) -> None:
    scenes.throttled(stage)

    page = seen(stage, LIST)

    assert numbers(page)["throttled accounts"] == "1"
    [note] = page.all("div", class_="note")
    assert "act_1001 is throttled: the API takes no calls until 2026-03-10 12:" in note.text
    assert note.one("span", class_="dim").text.startswith("in ")


def test_what_a_look_found_out_of_late_is_counted_and_listed(stage: Stage) -> None:
    scenes.published(stage)
    rescued = scenes.rescued(stage)

    page = seen(stage, f"{LIST}?which=recovered")
    stage.time.pass_(timedelta(hours=24, seconds=1))
    a_day_later = seen(stage, f"{LIST}?which=recovered")

    assert (numbers(page)["recovered in 24 h"], listed(page)) == ("1", [rescued])
    assert (numbers(a_day_later)["recovered in 24 h"], listed(a_day_later)) == ("0", [])


def test_each_filter_lists_what_it_counts_and_says_what_it_means(stage: Stage) -> None:
    scenes.held_before_two(stage)
    scenes.with_surplus(stage)
    scenes.rescued(stage)
    scenes.blind(stage)
    crashed = scenes.crashed(stage)
    stage.submit(ads("A draft"))

    async def browsing(browser: Browser) -> dict[Which, Element]:
        return {which: await browser.page(f"{LIST}?which={which.value}") for which in Which}

    pages = browsed(stage, browsing)

    for page in pages.values():
        chosen = page.one("aside").one("a", aria_current="true")
        assert len(listed(page)) == int(chosen.one("span", class_="n").text) > 0
        assert page.one("p", class_="means").text == chosen.one("small").text
    assert listed(pages[Which.CRASHED]) == [crashed]


def test_crashed_is_a_state_to_ask_for_as_it_is_one_that_is_shown(stage: Stage) -> None:
    crashed = scenes.crashed(stage)
    stage.submit(ads("Draft"))

    async def browsing(browser: Browser) -> list[list[str]]:
        pages = [await browser.page(f"{LIST}?{one}") for one in ("state=crashed", "which=crashed")]
        answers = [
            (await browser.get(f"/v1/documents?state={one}")).json()
            for one in ("crashed", "publishing")
        ]
        told = [[one["document_id"] for one in answer["documents"]] for answer in answers]
        return [*map(listed, pages), *told]

    assert browsed(stage, browsing) == [[crashed]] * 4


def test_crashed_and_another_condition_do_not_go_together_and_it_is_said_what_does(
    stage: Stage,
) -> None:
    async def browsing(browser: Browser) -> list[httpx.Response]:
        asked = ("state=crashed&which=surplus", "state=crashed&which=crashed")
        return [await browser.get(f"{LIST}?{one}") for one in asked]

    refused, answered = browsed(stage, browsing)

    assert (refused.status_code, answered.status_code) == (422, 200)
    said = page_of(refused.text).one("main").text
    assert "state=crashed and which=surplus do not go together" in said
    assert "leave one of them out: /documents?which=surplus or /documents?state=crashed" in said


def test_the_states_to_ask_for_are_those_that_are_stored_and_crashed() -> None:
    assert {one.stored for one in ListedState} == {None, *DocumentState}
    assert [one for one in ListedState if one.stored is None] == [ListedState.CRASHED]


def test_a_state_an_account_and_a_day_narrow_it_together(stage: Stage) -> None:
    held, _ = scenes.held_before_two(stage)
    elsewhere = stage.submit(ads("Other") | {"account_id": "act_1002"})

    async def browsing(browser: Browser) -> list[list[str]]:
        asked = ("state=held", "account_id=1002", "account_id=act_1002&state=held",
                 "since=2026-03-10", "since=2026-03-11", "state=&account_id=&since=")  # fmt: skip
        return [listed(await browser.page(f"{LIST}?{one}")) for one in asked]

    found = browsed(stage, browsing)
    assert found == [[held], [elsewhere], [], [elsewhere, held], [], [elsewhere, held]]


def test_a_kind_and_a_verdict_narrow_the_list_and_its_causes_and_stay_chosen(stage: Stage) -> None:
    rescued = scenes.rescued(stage)
    held, _ = scenes.held_before_two(stage)
    stage.submit(ads("A draft"))

    async def browsing(browser: Browser) -> list[Element]:
        asked = ("kind=ad&verdict=found", "kind=campaign", "verdict=inconclusive&by_cause=1",
                 "verdict=found&by_cause=1", "kind=ad&verdict=")  # fmt: skip
        return [await browser.page(f"{LIST}?{one}") for one in asked]

    found, none, causes, no_causes, every = browsed(stage, browsing)

    assert (listed(found), listed(none)) == ([rescued], [])
    assert (listed(causes), listed(no_causes)) == ([held], [])
    assert len(listed(every)) == 3
    form = found.one("form", role="search")
    assert [one.text for one in form.all("option") if "selected" in one.attributes] == [
        "ad",
        "found",
    ]
    assert all("kind=ad&verdict=found" in one.attributes["href"] for one in
               found.one("aside").all("a"))  # fmt: skip
    assert all("kind=ad&verdict=found" in one.attributes["href"] for one in
               found.one("ul", class_="numbers").all("a"))  # fmt: skip


def test_the_numbers_of_documents_are_of_those_that_the_list_is_narrowed_to(stage: Stage) -> None:
    scenes.rescued(stage)
    scenes.held_before_two(stage)
    stage.submit(ads("A draft"))

    async def browsing(browser: Browser) -> list[Element]:
        asked = ("", "?kind=ad&verdict=found", "?verdict=inconclusive", "?kind=campaign")
        return [await browser.page(f"{LIST}{one}") for one in asked]

    pages = browsed(stage, browsing)

    assert [counts(page)["all"] for page in pages] == ["3", "1", "1", "0"]
    assert [counts(page)["held"] for page in pages] == ["1", "0", "1", "0"]
    assert [counts(page)["needs a person"] for page in pages] == ["1", "0", "1", "0"]
    assert [numbers(page)["needs a person"] for page in pages] == ["1", "0", "1", "0"]


def test_what_cannot_be_meant_is_refused_and_not_passed_over(stage: Stage) -> None:
    queries = ("state=broken", "which=all", "kind=adgroup", "verdict=held", "account_id=x",
               "since=yesterday", "after=x", "stat=held", "state=held&state=draft",
               "state=crashed&which=surplus")  # fmt: skip

    async def browsing(browser: Browser) -> list[int]:
        return [(await browser.get(f"{LIST}?{query}")).status_code for query in queries]

    assert browsed(stage, browsing) == [422] * len(queries)


def test_older_ones_are_a_link_away_and_none_is_left_out(stage: Stage) -> None:
    made = [stage.submit(ads(f"Draft {number}")) for number in range(LINES_SHOWN + 1)]

    async def browsing(browser: Browser) -> list[Element]:
        first = await browser.page(f"{LIST}?state=draft")
        return [first, await browser.page(first.one("a", rel="next").attributes["href"])]

    first, second = browsed(stage, browsing)

    assert listed(first) + listed(second) == made[::-1]
    assert second.all("a", rel="next") == []


def test_every_line_shows_its_id_to_be_copied_whether_it_has_a_title_or_not(stage: Stage) -> None:
    made = [stage.submit(scenes.titled("Spring", "Titled")), stage.submit(ads("Untitled"))]

    async def browsing(browser: Browser) -> list[Any]:
        page = await browser.page(LIST)
        [style] = [one.attributes["href"] for one in page.all("link", rel="stylesheet")]
        return [page, (await browser.get(style)).text]

    page, style = browsed(stage, browsing)

    lines = page.one("table", class_="list").one("tbody").all("tr")
    ids = [line.one("a", class_="id") for line in lines]
    assert [one.text for one in ids] == made[::-1]
    assert ["Spring" in line.text for line in lines] == [False, True]
    assert {one.attributes["draggable"] for one in ids} == {"false"}
    assert ".id { user-select: all; }" in style


def test_by_cause_documents_are_told_once_with_what_was_said(stage: Stage) -> None:
    refused = [scenes.refused(stage, title) for title in ("One", "Two")]
    held, _ = scenes.held_before_two(stage)

    page = seen(stage, f"{LIST}?by_cause=1")

    causes = page.one("ul", class_="causes")
    heads = [one.text for one in causes.all("p", class_="cause")]
    assert [head.split(" · ")[-1] for head in heads] == [
        "2 documents, 2 items",
        "1 document, 1 item",
    ]
    assert "rejected" in heads[0]
    assert "ambiguous" in heads[1]
    assert sorted(listed(causes)) == sorted([*refused, held])


def test_a_key_of_one_account_sees_that_account_alone(stage: Stage) -> None:
    scenes.held_before_two(stage)
    scenes.paused(stage)
    mine = stage.submit(ads("Mine") | {"account_id": "act_1002"})

    async def browsing(browser: Browser) -> list[Element]:
        asked = ("", "?which=needs_person", "?account_id=act_1001", "?by_cause=1")
        return [await browser.page(LIST + one) for one in asked]

    every, held, asked, causes = browsed(stage, browsing, Scope.READ, accounts=["act_1002"])

    assert listed(every) == [mine]
    assert listed(held) == listed(asked) == listed(causes) == []
    assert (counts(every)["all"], counts(every)["held"]) == ("1", "0")
    assert numbers(every)["needs a person"] == numbers(every)["paused accounts"] == "0"
    assert "budget review" not in every.text
