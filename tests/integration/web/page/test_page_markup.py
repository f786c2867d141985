"""Every page is well formed, safe to show whatever a name holds, and readable without sight."""

from __future__ import annotations

import html
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from adapters.web.page.escapes import drawn, whole
from adapters.web.page.rendering import TEXT_SHOWN_MAX, rendered
from fixtures.stage import Stage
from tests.integration.web.page import scenes
from tests.integration.web.page.browsing import Browser, browsed, decision_of, place_of
from tests.integration.web.page.markup import Element, page_of

SCENES: Final[tuple[Callable[[Stage], Any], ...]] = (
    scenes.published,
    scenes.rescued,
    scenes.held_before_two,
    scenes.held_beside_a_stranger,
    scenes.with_surplus,
    scenes.refused,
    scenes.hostile,
    scenes.hostile_beside_a_hostile_stranger,
    scenes.crashed,
    scenes.blind,
    scenes.paused,
)


def every_page(stage: Stage) -> dict[str, Element]:
    """All pages of all scenes, each parsed, which fails where one is not well formed."""
    for arrange in SCENES:
        arrange(stage)
    asked = ["/documents", "/documents?which=needs_person", "/documents?by_cause=1", "/sign-in",
             "/documents?state=failed", "/sign-in?refused=unauthenticated",
             "/documents/nope"]  # fmt: skip
    for document_id in stage.documents:
        one = place_of(document_id)
        asked += [one, f"{one}/items/a1/evidence", decision_of(document_id)]

    async def browsing(browser: Browser) -> dict[str, Element]:
        return {place: page_of((await browser.get(place)).text) for place in asked}

    pages = browsed(stage, browsing)
    assert isinstance(pages, dict)
    return pages


def test_every_page_is_whole_and_can_be_read_by_ear_and_used_by_keyboard(stage: Stage) -> None:
    for place, page in every_page(stage).items():
        assert page.one("html").attributes["lang"] == "en", place
        assert page.one("title").text.endswith("· reconciler")
        _assert_headings_go_down_step_by_step(page)
        _assert_ids_are_unique_and_known(page)
        _assert_every_field_has_a_label(page)
        _assert_tables_have_heads(page)
        _assert_no_symbol_stands_alone(page)
        for one in page.all("a"):
            assert one.text, f"{place}: a link without words"
            assert "href" in one.attributes
        assert not [one for one in page.below() if one.attributes.get("tabindex", "0") > "0"]


def _assert_headings_go_down_step_by_step(page: Element) -> None:
    levels = [int(one.tag[1]) for one in page.below() if one.tag in ("h1", "h2", "h3", "h4")]
    main = page.one("main")
    assert len(main.all("h1")) == 1
    deeper = [int(one.tag[1]) for one in main.below() if one.tag in ("h1", "h2", "h3", "h4")]
    inside = deeper[deeper.index(1) :]
    assert all(after <= before + 1 for before, after in pairwise(inside))
    assert levels


def _assert_ids_are_unique_and_known(page: Element) -> None:
    ids = [one.attributes["id"] for one in page.below() if "id" in one.attributes]
    assert len(set(ids)) == len(ids), ids
    for one in page.below():
        for name in ("for", "aria-labelledby", "aria-describedby"):
            assert set(one.attributes.get(name, "").split()) <= set(ids), one
        if one.attributes.get("href", "").startswith("#"):
            assert one.attributes["href"][1:] in ids


def _assert_every_field_has_a_label(page: Element) -> None:
    labelled = {one.attributes.get("for") for one in page.all("label")}
    inside = {id(field) for label in page.all("label") for field in label.all("input")}
    for field in page.all("input"):
        if field.attributes.get("type") != "hidden":
            assert id(field) in inside or field.attributes.get("id") in labelled, field
    for button in page.all("button"):
        assert button.text


def _assert_tables_have_heads(page: Element) -> None:
    for table in page.all("table"):
        heads = table.one("thead").all("th")
        assert heads
        assert all(one.attributes["scope"] == "col" and one.text for one in heads)


def _assert_no_symbol_stands_alone(page: Element) -> None:
    """Beside each there are words in the same element; and it is not read out."""
    for one in page.below():
        for part in one.parts:
            if isinstance(part, Element) and part.bears({"class_": "symbol"}):
                assert part.attributes["aria-hidden"] == "true"
                assert len(one.text) > len(part.text), one


def test_a_hostile_name_is_shown_and_never_obeyed(stage: Stage) -> None:
    drafted, held = scenes.hostile(stage), scenes.hostile_beside_a_hostile_stranger(stage)

    async def browsing(browser: Browser) -> list[str]:
        asked = ("/documents", place_of(drafted), place_of(held), decision_of(held))
        return [(await browser.get(one)).text for one in asked]

    for text in browsed(stage, browsing):
        page = page_of(text)
        assert "&lt;script&gt;alert(1)" in text
        assert "\\u202egnp.exe" in page.text
        assert "\u202e" not in text
        assert page.all("script") == page.all("img") == []


def problem_page(detail: str, title: str = "T") -> str:
    problem = {"title": title, "detail": detail, "code": "c", "status": 409}
    known = {"who": None, "is_signed_in": False, "path": ""}
    return rendered("problem.html", problem=problem, next_step=[], back=detail, **known)


def test_a_character_told_by_number_is_told_apart_from_a_name_that_holds_that_text() -> None:
    page = page_of(problem_page("a\u202eb \\u202e \ue000202e\ue001"))
    lead = page.one("p", class_="lead")

    assert lead.text.replace(" ", "") == r"a\u202eb\u202e\ue000202e\ue001"
    escapes = [(one.text, one.attributes["title"]) for one in lead.all("span", class_="escape")]
    assert [text for text, _ in escapes] == [r"\u202e", r"\ue000", r"\ue001"]
    assert escapes[0][1] == "U+202E RIGHT-TO-LEFT OVERRIDE, told by its number"


def test_where_no_element_can_stand_it_is_told_by_its_number_alone() -> None:
    text = problem_page("a\u202eb", title="\u202e<b> >")

    page = page_of(text)
    assert page.one("title").text == r"\u202e<b> > · reconciler"
    assert page.one("a", href=r"a\u202eb").text == "Back"
    assert "\ue000" not in text


def test_a_form_gives_back_what_looks_like_a_mark_of_ours_as_it_came() -> None:
    assert html.unescape(whole("\ue000202e\ue001 \u202e <")) == "\ue000202e\ue001 \u202e <"
    assert drawn(whole("\ue000202e\ue001")) == whole("\ue000202e\ue001")


def test_what_no_encoding_has_and_what_is_endless_is_told_and_cut() -> None:
    detail = "\ud800 \x00 \u2028" + "x" * 10_000 + "</p><script>"
    text = problem_page(detail)

    shown = page_of(text.encode().decode()).one("p", class_="lead").text
    assert shown.startswith("\\ud800 \\u0000 \\u2028xxx")
    assert shown.endswith(f"… ({len(detail):,} characters)")
    assert len(shown) < TEXT_SHOWN_MAX + 60


def test_a_form_gives_back_whole_what_it_shows_cut(stage: Stage) -> None:
    document_id, made = scenes.held_before_two(stage)
    reason = "why " * 400 + "\u202e\"'>"

    async def browsing(browser: Browser) -> list[str]:
        form = (await browser.page(decision_of(document_id))).one("form", class_="decide")
        given = {"choice": f"adopt:{made[0]}", "reason": reason}
        preview = page_of((await browser.send(decision_of(document_id), form, **given)).text)
        [field] = preview.all("input", name="reason")
        return [field.attributes["value"], preview.one("dl", class_="facts").all("bdi")[0].text]

    kept, shown = browsed(stage, browsing)
    assert kept == reason
    assert "characters)" in shown
