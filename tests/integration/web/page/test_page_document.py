"""The page of one document: state, one primary button, evidence as bars, the story, a rescue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from adapters.web.page.action import primary_of
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler import events
from reconciler.model import DocumentState
from tests.crash.plans import ads
from tests.integration.held import adopt, decide, hold
from tests.integration.held import none as none_of_these
from tests.integration.web.page import scenes
from tests.integration.web.page.browsing import (
    Browser,
    browsed,
    decision_of,
    place_of,
    seen,
)
from tests.integration.web.page.markup import Element, page_of


def primaries(page: Element) -> list[str]:
    return [
        one.text for one in page.below() if "primary" in one.attributes.get("class", "").split()
    ]


def badges(page: Element) -> set[str]:
    shown = page.one("p", class_="badges").all("span", class_="badge")
    return {one.text.removeprefix(one.one("span", class_="symbol").text).strip() for one in shown}


SCENES: dict[str, tuple[Callable[[Stage], Any], list[str]]] = {
    "published": (scenes.published, []),
    "held": (scenes.held_before_two, ["Decide about a1"]),
    "surplus": (scenes.with_surplus, ["Decide about the surplus of a1"]),
    "refused": (scenes.refused, ["See what was refused"]),
    "paused": (scenes.paused, ["Read it again"]),
    "blind": (scenes.blind, ["Read it again"]),
    "draft": (lambda stage: stage.submit(ads("A draft")), ["Publish"]),
}


@pytest.mark.parametrize("scene", SCENES)
def test_there_is_one_primary_button_and_it_is_the_next_action(stage: Stage, scene: str) -> None:
    arrange, wanted = SCENES[scene]
    made = arrange(stage)
    document_id = made if isinstance(made, str) else made[0]

    page = seen(stage, place_of(document_id))

    assert primaries(page) == wanted
    step = page.one("section", class_="next")
    assert stage.document(document_id).next.why in step.text or scene in ("paused", "blind")
    assert bool(step.all("p", class_="does")) is bool(wanted)


@pytest.mark.parametrize(
    ("action", "label"),
    [("none", None), ("wait", "Read it again"), ("publish", "Publish"), ("recover", "Look now"),
     ("fix_input", "See what was refused"),
     ("rotate_token", "The token was renewed: read it again"),
     ("decide", "See the surplus"), ("raise_limit", "Look now")],
)  # fmt: skip
def test_every_next_action_has_its_button(action: str, label: str | None) -> None:
    step = {"action": action, "command": "reconciler x"}
    found = primary_of({"document_id": "d", "items": [], "surplus": [], "next": step})

    assert (found and found.label) == label


def test_the_button_of_a_surplus_and_the_command_beside_it_are_one_decision(stage: Stage) -> None:
    document_id, [first, second] = scenes.with_surplus(stage)

    step = seen(stage, place_of(document_id)).one("section", class_="next")

    assert step.one("a", class_="primary").text == "Decide about the surplus of a1"
    assert step.one("p", class_="command").text == (
        f"reconciler resolve {document_id} a1 --adopt {first} --also {second} --reason TEXT"
    )


@pytest.mark.parametrize("action", ["fix_input", "rotate_token"])
def test_a_button_that_reads_stands_beside_a_command_that_reads(action: str) -> None:
    step = {"action": action, "command": "reconciler x"}
    found = primary_of({"document_id": "d", "items": [], "surplus": [], "next": step})

    assert found is not None
    assert (found.method, found.command) == ("get", "reconciler show d")
    assert "reconciler x" in found.does


def test_what_no_look_settled_is_looked_at_before_it_is_decided_about() -> None:
    step = {"action": "decide", "command": "reconciler recover d"}
    held = {"key": "a1", "state": "held", "reason": "listing_incomplete", "external_id": None}
    found = primary_of({"document_id": "d", "items": [held], "surplus": [], "next": step})

    assert found is not None
    assert (found.label, found.href) == ("Look again first", "/documents/d/recover")


def test_reading_the_page_recovers_what_crashed_and_makes_nothing(stage: Stage) -> None:
    document_id = scenes.crashed(stage)
    made = len(stage.graph.creates)

    page = seen(stage, place_of(document_id))

    assert stage.document(document_id).items[0].intent is not None
    assert "confirmed" in page.one("table", class_="items").all("tr")[1].text
    assert len(stage.graph.creates) == made


def test_reading_what_is_due_for_nothing_looks_at_nothing(stage: Stage) -> None:
    held, _ = scenes.held_before_two(stage)
    before, walks = stage.document(held), len(stage.graph.walks)

    async def browsing(browser: Browser) -> list[Element]:
        asked = (place_of(held), decision_of(held), "/documents", "/documents?by_cause=1")
        return [await browser.page(one) for one in asked]

    assert len(browsed(stage, browsing)) == 4
    assert stage.document(held) == before
    assert len(stage.graph.walks) == walks


def test_an_address_that_is_no_text_is_answered_by_a_page_that_says_what_to_write(
    stage: Stage,
) -> None:
    async def browsing(browser: Browser) -> list[httpx.Response]:
        return [await browser.get(f"/documents/%FF{rest}") for rest in ("", "/items/a1/decision")]

    for answer in browsed(stage, browsing):
        assert answer.status_code == 400
        page = page_of(answer.text)
        assert page.one("p", class_="lead").text == "%FF in the path is not UTF-8"
        assert "send %C3%BF" in page.text


def test_asking_whether_there_is_one_starts_nothing(stage: Stage) -> None:
    document_id = scenes.crashed(stage)
    before = stage.document(document_id)

    async def browsing(browser: Browser) -> list[int]:
        heads = [await browser.client.head(place_of(one)) for one in (document_id, "nope")]
        return [one.status_code for one in heads]

    assert browsed(stage, browsing) == [200, 404]
    assert stage.document(document_id) == before
    assert stage.graph.walks == []


def test_a_rescue_stays_on_the_document_and_is_claimed_of_nothing_else(stage: Stage) -> None:
    rescued = scenes.rescued(stage)
    healthy = scenes.published(stage)
    held, _ = scenes.held_before_two(stage)

    async def browsing(browser: Browser) -> list[set[str]]:
        return [badges(await browser.page(place_of(one))) for one in (rescued, healthy, held)]

    assert browsed(stage, browsing) == [{"published", "rescued"}, {"published"}, {"held"}]


def test_what_a_person_decided_is_no_rescue_of_ours(stage: Stage) -> None:
    adopted, (one, _) = scenes.held_before_two(stage)
    none, _ = scenes.held_beside_a_stranger(stage)
    waits, _ = scenes.held_before_two(stage, "Waits")
    for document_id, said in ((adopted, adopt(one)), (none, none_of_these()), (waits, hold())):
        decide(stage, document_id, said)

    assert browsed_badges(stage, adopted) == {"published", "a person decided"}
    assert browsed_badges(stage, none) >= {"a person decided"}
    stage.publish(none)
    stage.run_until_rest(none)
    assert browsed_badges(stage, none) == {"published", "a person decided"}
    assert browsed_badges(stage, waits) == {"held"}


def browsed_badges(stage: Stage, document_id: str) -> set[str]:
    return badges(seen(stage, place_of(document_id)))


def test_a_lost_reply_that_was_found_is_a_rescue_too(stage: Stage) -> None:
    document_id = stage.submit(scenes.titled("Lost", "Lost / 1"))
    stage.sky.by_number[0] = Weather.REPLY_LOST
    stage.publish(document_id)
    stage.run_until_rest(document_id)

    assert badges(seen(stage, place_of(document_id))) == {"published", "rescued"}


def bars(page: Element) -> dict[str, str]:
    """Each stage with what is left after it."""
    stages = page.one("ol", class_="stages")
    names = [one.text for one in stages.all("span", class_="stage")]
    return dict(zip(names, [one.text for one in stages.all("span", class_="n")], strict=True))


def test_the_funnel_counts_as_the_evidence_does_and_opens_whom_it_removed(stage: Stage) -> None:
    document_id = scenes.rescued(stage)

    page = seen(stage, place_of(document_id))

    assert bars(page) == {
        "listed": "14", "narrowed": "2", "bound": "2", "container": "2", "mark": "1", "copy": "1",
        "name": "1", "created": "1", "veto uncontested": "1", "veto unambiguous": "1",
        "veto cap": "1",
    }  # fmt: skip
    stages = page.one("ol", class_="stages")
    [opened] = stages.all("details")
    assert "bears no mark, where marks show" in opened.one("table").text
    assert "Autumn / 1" in opened.one("table").text
    assert {one.attributes["class"] for one in stages.all("rect")} == {"left", "gone"}


def test_a_doubt_is_drawn_and_told_apart_from_a_disproof(stage: Stage) -> None:
    document_id, theirs = scenes.held_beside_a_stranger(stage)

    stages = seen(stage, place_of(document_id)).one("ol", class_="stages")

    [opened] = stages.all("details")
    assert theirs in opened.text
    assert "1 in doubt" in opened.one("summary").text
    assert opened.one("summary").all("rect", class_="doubt")
    assert opened.one("summary").all("rect", class_="gone") == []


def test_an_incomplete_listing_is_hatched_and_shows_no_number(stage: Stage) -> None:
    document_id = scenes.blind(stage)

    page = seen(stage, place_of(document_id))

    assert "Listing incomplete: no verdict" in page.one("p", class_="incomplete").text
    assert set(bars(page).values()) == {"?"}
    stages = page.one("ol", class_="stages")
    assert {one.attributes["class"] for one in stages.all("rect")} == {"hatched"}
    assert "listing_incomplete" in page.text


def test_the_story_is_told_oldest_first_by_attempt_and_every_event_has_words(stage: Stage) -> None:
    document_id = scenes.rescued(stage)

    page = seen(stage, place_of(document_id))

    groups = [one.text for one in page.all("h3", class_="group")]
    assert [group.partition(",")[0] for group in groups] == [
        "Before the first attempt", "Attempt 1", "After the crash of attempt 1", "Attempt 2",
    ]  # fmt: skip
    times = [
        one.attributes["datetime"]
        for story in page.all("ol", class_="timeline")
        for one in story.all("time")
    ]
    assert times == sorted(times)
    told = " ".join(one.text for one in page.all("ol", class_="timeline"))
    assert "CRASH: the lease of attempt 1 had ended and no result was saved" in told
    assert events.INTENTS_WRITTEN not in told
    assert "listed and judged: found" in told


def test_of_an_intent_is_told_that_it_was_written_and_not_that_it_was_sent(stage: Stage) -> None:
    document_id, _ = scenes.held_beside_a_stranger(stage)  # its worker died before the request

    story = seen(stage, place_of(document_id)).all("ol", class_="timeline")
    decision = seen(stage, decision_of(document_id))

    told = " ".join(one.text for one in story)
    assert "intents written, before any is sent" in told
    assert "then sent" not in told
    assert decision.one("h2", id="compared").text == "The intent, and what may be it"
    assert "sent without" not in decision.text


def test_what_is_downloaded_is_what_the_api_answers(stage: Stage) -> None:
    document_id = scenes.rescued(stage)

    async def browsing(browser: Browser) -> list[Any]:
        page = await browser.page(place_of(document_id))
        links = page.one("p", class_="downloads").all("a")
        return [(await browser.get(one.attributes["href"])).json()["schema"] for one in links]

    assert browsed(stage, browsing) == ["timeline/1", "document-state/1", "explain/1"]


def test_an_item_has_a_page_of_its_evidence(stage: Stage) -> None:
    document_id, theirs = scenes.held_beside_a_stranger(stage)

    page = seen(stage, f"{place_of(document_id)}/items/a1/evidence")

    assert theirs in page.text
    assert "Nothing was ever looked up" in seen(
        stage, f"{place_of(scenes.published(stage))}/items/a1/evidence"
    ).text  # fmt: skip


def test_publish_is_pressed_and_the_page_shows_what_came_of_it(stage: Stage) -> None:
    document_id = stage.submit(ads("A draft"))

    async def browsing(browser: Browser) -> Any:
        page = await browser.page(place_of(document_id))
        [form] = page.one("section", class_="next").all("form")
        return await browser.send(place_of(document_id), form)

    answer = browsed(stage, browsing)

    assert answer.status_code == 200
    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert len(stage.graph.creates) == 1


def test_looking_and_cancelling_are_there_beside_the_primary_one(stage: Stage) -> None:
    document_id, _ = scenes.held_beside_a_stranger(stage)
    walks = len(stage.graph.walks)

    async def browsing(browser: Browser) -> list[int]:
        page = await browser.page(place_of(document_id))
        look, cancel = page.one("div", class_="others").all("form")
        looked = await browser.send("", look)
        return [looked.status_code, (await browser.send("", cancel)).status_code]

    assert browsed(stage, browsing) == [200, 200]
    assert len(stage.graph.walks) > walks
    assert stage.document(document_id).state is DocumentState.CANCELLED


def test_a_decision_is_offered_beside_each_held_item(stage: Stage) -> None:
    document_id, _ = scenes.held_before_two(stage)

    page = seen(stage, place_of(document_id))

    links = [one.attributes["href"] for one in page.one("table", class_="items").all("a")]
    assert links == [decision_of(document_id)]


def test_a_problem_leads_a_browser_to_a_page_and_tells_it_no_request(stage: Stage) -> None:
    async def browsing(browser: Browser) -> httpx.Response:
        return await browser.get(place_of("nope"))

    answer = browsed(stage, browsing)

    assert answer.status_code == 404
    page = page_of(answer.text)
    assert "GET /v1" not in page.text
    links = [(one.text, one.attributes["href"]) for one in page.one("article").all("a")]
    assert links[0] == ("the page of all documents", "/documents")
