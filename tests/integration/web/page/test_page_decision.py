"""A person decides on the page: what they compare, what is foretold, what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import httpx
import pytest

from adapters.web import Scope
from fixtures.stage import Stage
from reconciler.cancel import cancel
from reconciler.model import DocumentState, ItemState, Reason
from reconciler.resolve_decision import EVIDENCE_AGE_MAX
from reconciler.resolve_preview import changed_rows
from tests.integration.held import reason_of, told
from tests.integration.web.page import scenes
from tests.integration.web.page.browsing import Browser, browsed, decision_of, place_of, seen
from tests.integration.web.page.markup import Element, fields_of, page_of

WHY: Final = {"reason": "seen in  Ads Manager,\u202e <b>twice</b>"}


def the_form(page: Element) -> Element:
    return page.one("form", class_="decide")


async def previewed(browser: Browser, place: str, **given: str) -> httpx.Response:
    """The decision page's form, filled in and sent for its preview."""
    form = the_form(await browser.page(place))
    return await browser.send(place, form, step="preview", **{**WHY, **given})


async def recorded(browser: Browser, place: str, preview: httpx.Response) -> httpx.Response:
    """The preview's form, sent as it is."""
    form = page_of(preview.text).one("form", class_="press")
    return await browser.send(place, form, step="record")


def rows_of(answer: httpx.Response) -> set[tuple[str, ...]]:
    """What the preview says will change: row, column, is, will be."""
    table = page_of(answer.text).all("table", class_="preview")
    lines = [one.parts for one in table[0].one("tbody").all("tr")] if table else []
    return {
        tuple(cell.text.removeprefix("→ ") for cell in line if isinstance(cell, Element))
        for line in lines
    }


def test_candidates_stand_beside_the_intent_and_what_differs_is_marked(stage: Stage) -> None:
    document_id, theirs = scenes.held_beside_a_stranger(stage)

    table = seen(stage, decision_of(document_id)).one("table", class_="compare")

    heads = [one.text for one in table.one("thead").all("th")]
    assert heads[1].startswith("Intent")
    assert heads[2:] == [f"A {theirs}"]
    lines = {one.one("th").text: one.all("td") for one in table.one("tbody").all("tr")}
    marked = [name for name, cells in lines.items() if "differs" in cells[1].attributes.values()]
    assert marked == ["labels"]
    assert "in doubt: bears no mark" in lines["evidence"][1].text
    assert "in the second our call was recorded" in lines["created"][1].text
    assert [cells[1].text for name, cells in lines.items() if name in ("parent", "bound to")] == [
        "2001", "nothing",
    ]  # fmt: skip
    link = table.one("thead").one("a").attributes
    assert link["href"].endswith(f"/ads?act=1001&selected_ad_ids={theirs}")
    assert "noreferrer" in link["rel"]


DECISIONS: Final[dict[str, dict[str, str]]] = {
    "adopt A": {"choice": "adopt:{0}"},
    "adopt A, also B": {"choice": "adopt:{0}", "also:{1}": "1"},
    "adopt the one typed": {"choice": "other", "other_id": " {1} "},
    "hold": {"choice": "hold"},
}


@pytest.mark.parametrize("name", DECISIONS)
def test_what_is_foretold_is_exactly_what_changes(stage: Stage, name: str) -> None:
    document_id, made = scenes.held_before_two(stage)
    before = stage.document(document_id)
    given = {key.format(*made): value.format(*made) for key, value in DECISIONS[name].items()}

    async def browsing(browser: Browser) -> list[httpx.Response]:
        preview = await previewed(browser, decision_of(document_id), **given)
        return [preview, await recorded(browser, decision_of(document_id), preview)]

    preview, ended = browsed(stage, browsing, Scope.RESOLVE)

    assert (preview.status_code, ended.status_code) == (200, 200)
    happened = {
        (f"{row.table} {row.row or ''}".strip(), row.column, row.before or "–", row.after or "–")
        for row in changed_rows(before, stage.document(document_id))
    }
    assert rows_of(preview) == happened
    assert [line["by"].partition(" ")[0] for line in told(stage, document_id)] == ["ops"]
    assert told(stage, document_id)[0]["reason"] == "seen in Ads Manager,\u202e <b>twice</b>"


def test_a_preview_names_every_value_that_moves(stage: Stage) -> None:
    document_id, made = scenes.held_before_two(stage)

    async def browsing(browser: Browser) -> set[tuple[str, ...]]:
        given = {"choice": f"adopt:{made[0]}", f"also:{made[1]}": "1"}
        return rows_of(await previewed(browser, decision_of(document_id), **given))

    assert browsed(stage, browsing) == {
        ("document", "state", "held", "published"),
        ("item a1", "state", "held", "confirmed"),
        ("item a1", "external_id", "–", made[0]),
        ("item a1", "found_by", "–", "person"),
        ("item a1", "reason", "ambiguous", "–"),
        (f"surplus {made[1]}", "known", "–", "yes"),
    }


def test_none_of_these_lets_it_be_made_once_more(stage: Stage) -> None:
    document_id, _ = scenes.held_beside_a_stranger(stage)

    async def browsing(browser: Browser) -> set[tuple[str, ...]]:
        preview = await previewed(browser, decision_of(document_id), choice="none")
        await recorded(browser, decision_of(document_id), preview)
        return rows_of(preview)

    foretold = browsed(stage, browsing)

    after = stage.document(document_id)
    assert ("item a1", "state", "held", "absent") in foretold
    assert ("document", "state", "held", after.state.value) in foretold
    assert after.items[0].state is ItemState.ABSENT


def test_of_a_cancelled_document_no_word_promises_another_create(stage: Stage) -> None:
    document_id, _ = scenes.held_beside_a_stranger(stage)
    stage.time.run(cancel(document_id, stage.process()))

    async def browsing(browser: Browser) -> list[Any]:
        place = decision_of(document_id)
        page = await browser.page(place)
        preview = await previewed(browser, place, choice="none")
        await recorded(browser, place, preview)
        evidence = await browser.get(f"/v1/documents/{document_id}/evidence")
        return [page, page_of(preview.text), await browser.page(place_of(document_id)), evidence]

    *pages, evidence = browsed(stage, browsing)

    [item] = evidence.json()["items"]
    assert (item["state"], item["commands"], item["requests"]) == ("absent", [], [])
    assert "nothing more is made: a cancel is on record" in pages[1].one("p", class_="lead").text
    for page in pages:
        assert "another create" not in page.text
        assert "made once more" not in page.text


def adopting_anothers(stage: Stage) -> tuple[str, dict[str, str]]:
    document_id, _ = scenes.held_beside_a_stranger(stage)
    other = stage.document(scenes.published(stage, "Winter"))
    assert other.items[0].intent is not None
    return document_id, {"choice": "other", "other_id": other.items[0].intent.external_id or ""}


def none_before_two(stage: Stage) -> tuple[str, dict[str, str]]:
    return scenes.held_before_two(stage)[0], {"choice": "none"}


@pytest.mark.parametrize(
    ("scene", "why"),
    [
        (adopting_anothers, "nobody can overrule"),
        (none_before_two, "another create could be a second"),
    ],
)
def test_what_recording_would_refuse_the_preview_refuses_with_the_same_words(
    stage: Stage, scene: Callable[[Stage], tuple[str, dict[str, str]]], why: str
) -> None:
    document_id, given = scene(stage)

    async def browsing(browser: Browser) -> list[httpx.Response]:
        place = decision_of(document_id)
        fields = fields_of(the_form(await browser.page(place))) | WHY | given
        return [await browser.post(place, fields | {"step": one}) for one in ("preview", "record")]

    preview, ended = browsed(stage, browsing)

    told_of = [page_of(one.text).one("p", class_="lead").text for one in (preview, ended)]
    assert (preview.status_code, ended.status_code) == (409, 409)
    assert told_of[0] == told_of[1]
    assert why in told_of[0]


def test_none_is_offered_only_where_the_evidence_offers_it(stage: Stage) -> None:
    beside, _ = scenes.held_beside_a_stranger(stage)
    before_two, _ = scenes.held_before_two(stage)
    beside_a_cut_mark = scenes.held_beside_a_cut_mark(stage)
    assert reason_of(stage, beside_a_cut_mark) is Reason.ECHO_UNPROVEN

    async def browsing(browser: Browser) -> dict[str, list[bool]]:
        return {one: [await on_page(browser, one), await in_api(browser, one)]
                for one in (beside, before_two, beside_a_cut_mark)}  # fmt: skip

    async def on_page(browser: Browser, document_id: str) -> bool:
        radios = the_form(await browser.page(decision_of(document_id))).all("input", type="radio")
        return "none" in [one.attributes["value"] for one in radios]

    async def in_api(browser: Browser, document_id: str) -> bool:
        answer = await browser.get(f"/v1/documents/{document_id}/evidence")
        requests = answer.json()["items"][0]["requests"]
        return "none" in [one["body"]["decision"] for one in requests]

    assert browsed(stage, browsing) == {
        beside: [True, True],
        before_two: [False, False],
        beside_a_cut_mark: [False, False],
    }


def test_where_nothing_can_be_listed_the_preview_says_that_it_does_not_know(stage: Stage) -> None:
    document_id, made = scenes.held_before_two(stage)
    scenes.go_blind(stage)

    async def browsing(browser: Browser) -> httpx.Response:
        return await previewed(browser, decision_of(document_id), choice=f"adopt:{made[0]}")

    answer = browsed(stage, browsing)

    note = page_of(answer.text).one("p", role="status").text
    assert "Whether it will be refused is not known now" in note
    assert "listing_incomplete" in note
    assert ("item a1", "external_id", "–", made[0]) in rows_of(answer)


def test_a_preview_changes_nothing(stage: Stage) -> None:
    document_id, made = scenes.held_before_two(stage)
    before = stage.document(document_id)

    async def browsing(browser: Browser) -> int:
        choice = f"adopt:{made[0]}"
        return (await previewed(browser, decision_of(document_id), choice=choice)).status_code

    assert browsed(stage, browsing) == 200
    assert stage.document(document_id) == before
    assert told(stage, document_id) == []


def test_a_surplus_is_recorded_as_known(stage: Stage) -> None:
    document_id, made = scenes.with_surplus(stage)

    async def browsing(browser: Browser) -> set[tuple[str, ...]]:
        preview = await previewed(browser, decision_of(document_id), **{f"also:{made[1]}": "1"})
        await recorded(browser, decision_of(document_id), preview)
        return rows_of(preview)

    assert browsed(stage, browsing) == {(f"surplus {made[1]}", "known", "no", "yes")}
    after = stage.document(document_id)
    assert (after.state, after.surplus[0].known) == (DocumentState.PUBLISHED, True)


def test_old_evidence_is_not_decided_on_and_the_page_says_what_to_do(stage: Stage) -> None:
    document_id, made = scenes.held_before_two(stage)
    stage.time.pass_(EVIDENCE_AGE_MAX + timedelta(seconds=1))
    choice = {"choice": f"adopt:{made[0]}"}

    async def browsing(browser: Browser) -> list[Any]:
        page = await browser.page(decision_of(document_id))
        shown = await previewed(browser, decision_of(document_id), **choice)
        fields = fields_of(the_form(page)) | WHY | choice | {"step": "record"}
        return [page, shown, await browser.post(decision_of(document_id), fields)]

    page, shown, pressed = browsed(stage, browsing)

    assert "Evidence older than an hour is refused" in page.one("div", class_="note").text
    open_choices = [
        one.attributes["value"]
        for one in the_form(page).all("input", type="radio")
        if "disabled" not in one.attributes
    ]
    assert open_choices == ["hold"]
    assert (shown.status_code, pressed.status_code) == (409, 409)
    assert told(stage, document_id) == []


def test_evidence_that_moved_since_it_was_seen_is_refused(stage: Stage) -> None:
    document_id, made = scenes.held_before_two(stage)

    async def browsing(browser: Browser) -> httpx.Response:
        preview = await previewed(browser, decision_of(document_id), choice=f"adopt:{made[0]}")
        scenes.stranger(stage, "Sale / 1")
        look = (await browser.page(place_of(document_id))).one("div", class_="others")
        await browser.send("", look.all("form")[0])
        return await recorded(browser, decision_of(document_id), preview)

    answer = browsed(stage, browsing)

    assert answer.status_code == 409
    assert "stale_evidence" in page_of(answer.text).text
    assert told(stage, document_id) == []


def test_a_decision_that_makes_no_sense_is_refused_before_anything_is_foretold(
    stage: Stage,
) -> None:
    document_id, _ = scenes.held_before_two(stage)
    given: list[tuple[dict[str, str], int]] = [
        ({"choice": "hold", "reason": " "}, 409),
        ({"choice": "hold", "reason": " TEXT"}, 409),
        ({"choice": "hold", "reason": "x" * 2_001}, 409),
        ({"reason": "why"}, 422),
        ({"choice": "adopt:", "reason": "why"}, 409),
        ({"choice": "adopt:x1", "reason": "why"}, 409),
        ({"choice": "other", "reason": "why"}, 409),
        ({"choice": "everything", "reason": "why"}, 422),
        ({"choice": "adopt:1", "also:1": "1", "reason": "why"}, 409),
        ({"choice": "hold", "also:1": "1", "reason": "why"}, 409),
        ({"choice": "hold", "override": "1", "reason": "why"}, 409),
    ]

    async def browsing(browser: Browser) -> list[int]:
        place = decision_of(document_id)
        return [(await previewed(browser, place, **one)).status_code for one, _ in given]

    assert browsed(stage, browsing) == [status for _, status in given]


def test_a_row_that_is_adopted_and_ticked_as_ours_too_is_refused_and_not_passed_over(
    stage: Stage,
) -> None:
    document_id, made = scenes.held_before_two(stage)

    async def browsing(browser: Browser) -> str:
        both = {"choice": f"adopt:{made[0]}", f"also:{made[0]}": "1", f"also:{made[1]}": "1"}
        answer = await previewed(browser, decision_of(document_id), **both)
        return page_of(answer.text).one("p", class_="lead").text

    assert f"{made[0]} cannot be adopted and be beside" in browsed(stage, browsing)


def test_a_listing_that_does_not_end_decides_nothing_and_says_so(stage: Stage) -> None:
    document_id, made = scenes.held_before_two(stage)

    async def browsing(browser: Browser) -> httpx.Response:
        preview = await previewed(browser, decision_of(document_id), choice=f"adopt:{made[0]}")
        scenes.go_blind(stage)
        return await recorded(browser, decision_of(document_id), preview)

    answer = browsed(stage, browsing)

    assert answer.status_code == 202
    assert "Not decided, nothing was changed" in page_of(answer.text).one("p", role="alert").text
    assert stage.document(document_id).state is DocumentState.HELD


@pytest.mark.parametrize("key", ["a9", "a1"])
def test_where_nothing_is_open_there_is_no_form(stage: Stage, key: str) -> None:
    document_id = scenes.published(stage)

    async def browsing(browser: Browser) -> httpx.Response:
        return await browser.get(decision_of(document_id, key))

    answer = browsed(stage, browsing)
    assert answer.status_code == (200 if key == "a1" else 404)
    assert page_of(answer.text).all("form", class_="decide") == []
