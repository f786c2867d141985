"""The button that lists what is recorded, and what the page says of what is gone since."""

from __future__ import annotations

import pytest

from fixtures.stage import Stage
from tests.integration.web.page import scenes
from tests.integration.web.page.browsing import Browser, browsed, place_of, seen
from tests.integration.web.page.markup import Element, page_of

LIST = "List what is recorded"


def others(page: Element) -> list[str]:
    buttons = [one for one in page.below() if one.attributes.get("class") == "others"]
    return [button.text for one in buttons for button in one.all("button")]


def pressed(stage: Stage, document_id: str) -> Element:
    """The page after that button."""
    place = place_of(document_id)

    async def browsing(browser: Browser) -> Element:
        page = await browser.page(place)
        form = next(one for one in page.all("form") if one.one("button").text == LIST)
        answer = await browser.send(place, form)
        assert answer.status_code == 200
        return page_of(answer.text)

    found: Element = browsed(stage, browsing)
    return found


@pytest.mark.parametrize(
    ("arrange", "offered"),
    [
        pytest.param(scenes.published, [LIST], id="nothing to look for, all of it recorded"),
        pytest.param(scenes.blind, ["Look now", "Cancel it"], id="nothing recorded yet"),
        pytest.param(scenes.refused, ["Look now", LIST, "Cancel it"], id="some of it recorded"),
    ],
)
def test_a_button_stands_where_there_is_something_to_look_at(
    stage: Stage, arrange: object, offered: list[str]
) -> None:
    assert callable(arrange)

    assert others(seen(stage, place_of(arrange(stage)))) == offered


def test_pressing_it_tells_what_was_deleted_and_creates_nothing(stage: Stage) -> None:
    document_id = scenes.published(stage)
    intent = stage.document(document_id).items[0].intent
    assert intent is not None
    stage.world.delete(intent.external_id or "")
    stage.time.pass_(stage.limits.listing_lag)
    made = len(stage.graph.creates)

    page = pressed(stage, document_id)

    assert "2 of 2 were made and are recorded, 1 not listed any more" in page.text
    assert "made, not listed any more" in page.one("table", class_="items").all("tr")[1].text
    assert "confirmed" in page.one("table", class_="items").all("tr")[2].text
    assert len(stage.graph.creates) == made


def test_a_listing_that_did_not_end_is_told_and_what_stands_there_called_older(
    stage: Stage,
) -> None:
    document_id = scenes.published(stage)
    scenes.go_blind(stage)

    page = pressed(stage, document_id)

    assert "gave no verdict: listing_incomplete" in page.one("p", class_="note").text
    assert "2 of 2 exist and are recorded" in page.text


def test_a_listing_to_the_end_is_told_too(stage: Stage) -> None:
    page = pressed(stage, scenes.published(stage))

    assert "listed just now, to the end" in page.one("p", class_="note").text


def test_words_that_are_not_ours_in_the_address_say_nothing(stage: Stage) -> None:
    page = seen(stage, f"{place_of(scenes.published(stage))}?looked=<b>all+is+lost</b>")

    assert page.all("p", class_="note") == []


def test_reading_the_page_alone_lists_nothing(stage: Stage) -> None:
    document_id = scenes.published(stage)

    seen(stage, place_of(document_id))

    assert stage.graph.walks == []
