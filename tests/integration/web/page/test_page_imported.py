"""Of a document from elsewhere nothing is made here, and neither page nor API promises it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from fixtures.stage import Stage
from reconciler.model import ItemState
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.elsewhere import Elsewhere, finished, line
from tests.integration.web.page.browsing import Browser, browsed, decision_of, place_of, seen
from tests.integration.web.page.markup import page_of
from tests.integration.web.page.test_page_decision import previewed, recorded, the_form


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Not held to the promise, which is about documents of ours."""
    made = Stage(open_ledger=sqlite_in_memory)
    yield made
    made.close()


def held_with_none_left(stage: Stage) -> str:
    """Held by policy, for nobody imported a finished one; then its row was deleted, and a look
    missed it."""
    elsewhere = Elsewhere(stage)
    [made] = elsewhere.made("A")
    stage.time.pass_(timedelta(hours=1))
    elsewhere.imports(line("old", "A"))
    elsewhere.settle("old")
    assert stage.document("old").items[0].state is ItemState.HELD
    stage.world.delete(made)
    elsewhere.settle("old")  # until it is looked at again the evidence shows a row that fits
    assert stage.document("old").items[0].state is ItemState.HELD
    return "old"


def test_what_a_finished_one_did_not_record_is_said_to_be_looked_for_by_nobody(
    stage: Stage,
) -> None:
    stage.time.pass_(timedelta(hours=1))
    Elsewhere(stage).imports(finished("old", R="901") | {"names": ["R", "S"]})

    async def browsing(browser: Browser) -> list[Any]:
        decision = await browser.page(decision_of("old", "2"))
        return [await browser.page(place_of("old")), decision, await browser.page("/documents")]

    document, decision, listed = browsed(stage, browsing)

    for page in (document, decision):
        assert "not recorded, and nobody looks for it" in page.text
    assert decision.all("form", class_="decide") == []
    assert "finished elsewhere" in document.text
    assert all("unsettled" not in one.text for one in (document, listed.one("table")))


def test_an_id_that_came_with_the_import_is_not_told_as_the_answer_to_a_call_of_ours(
    stage: Stage,
) -> None:
    stage.time.pass_(timedelta(hours=1))
    Elsewhere(stage).imports(finished("old", R="901"))

    page = seen(stage, place_of("old"))

    assert "this id came with the import" in page.one("table", class_="items").text
    assert "our call" not in page.text
    [line] = page.one("ol", class_="timeline").all("li")
    assert "taken over from elsewhere as published, with the ids its lines have" in line.text


def test_what_is_held_for_want_of_finished_documents_names_that_cause_and_its_mend(
    stage: Stage,
) -> None:
    document_id = held_with_none_left(stage)

    async def browsing(browser: Browser) -> list[Any]:
        evidence = await browser.get(f"/v1/documents/{document_id}/evidence")
        return [await browser.page(place_of(document_id)), evidence.json()]

    page, evidence = browsed(stage, browsing)

    [item] = evidence["items"]
    assert item["commands"][:2] == [
        "reconciler import FILE --worker-gone-before TIME",
        f"reconciler recover {document_id}",
    ]
    assert "no finished document of the account is known" in item["why"]
    assert evidence["next"]["command"] == f"reconciler recover {document_id}"
    assert "no finished document of its account is known; import them" in evidence["next"]["why"]
    assert "no finished document of its account is known; import them" in page.text
    button = page.one("section", class_="next").one("button", class_="primary")
    assert button.text == "Look again, once the finished ones are imported"


def test_that_no_row_is_it_is_said_without_the_promise_of_another_create(stage: Stage) -> None:
    document_id = held_with_none_left(stage)

    async def browsing(browser: Browser) -> list[Any]:
        place = decision_of(document_id, "1")
        page = await browser.page(place)
        preview = await previewed(browser, place, choice="none")
        await recorded(browser, place, preview)
        evidence = await browser.get(f"/v1/documents/{document_id}/evidence")
        return [page, page_of(preview.text), evidence.json(), await browser.page(place_of("old"))]

    form, preview, evidence, after = browsed(stage, browsing)

    [item] = evidence["items"]
    assert "None of these: it was never made" in the_form(form).text
    assert "nothing is made of it from here" in preview.one("p", class_="lead").text
    assert (item["state"], item["commands"], item["requests"]) == ("absent", [], [])
    for page in (form, preview, after):
        assert "another create" not in page.text
        assert "made once more" not in page.text
