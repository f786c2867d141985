"""A browser that comes where no page is gets a page with the way back; a program a problem."""

from __future__ import annotations

import httpx
import pytest

from fixtures.stage import Stage
from tests.crash.plans import ONE_AD
from tests.integration.web.page.browsing import Browser, browsed, place_of
from tests.integration.web.page.markup import Element, page_of

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PROBLEM = "application/problem+json"


def answered(stage: Stage, method: str, place: str, accept: str) -> httpx.Response:
    async def browsing(browser: Browser) -> httpx.Response:
        return await browser.client.request(method, place, headers={"Accept": accept})

    found = browsed(stage, browsing)
    assert isinstance(found, httpx.Response)
    return found


def links(shown: Element) -> set[str]:
    return {link.attributes["href"] for link in shown.one("main").all("a")}


@pytest.mark.parametrize("rest", ["/evidnce", "/"])
def test_a_browser_at_an_unknown_address_is_shown_the_way_back_to_the_document(
    stage: Stage, rest: str
) -> None:
    place = place_of(stage.submit(ONE_AD))

    answer = answered(stage, "GET", f"{place}{rest}", BROWSER)

    shown = page_of(answer.text)
    assert answer.status_code == 404
    assert "there is no page at this address" in shown.text
    assert ("leave out the slash" in shown.text) is (rest == "/")
    assert links(shown) == {place, "/documents"}
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_browser_that_opens_what_a_button_sends_to_is_shown_where_the_button_is(
    stage: Stage,
) -> None:
    place = place_of(stage.submit(ONE_AD))

    answer = answered(stage, "GET", f"{place}/publish", BROWSER)

    shown = page_of(answer.text)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "nothing was pressed" in shown.text
    assert links(shown) == {place, "/documents"}


def test_a_browser_that_sends_to_what_is_only_read_is_told_that_nothing_was_done(
    stage: Stage,
) -> None:
    answer = answered(stage, "POST", "/documents", BROWSER)

    assert answer.status_code == 405
    assert "nothing that was sent to it was done" in page_of(answer.text).text


@pytest.mark.parametrize("accept", ["application/json", "*/*", f"text/html, {PROBLEM}"])
@pytest.mark.parametrize(("method", "status"), [("GET", 404), ("POST", 405)])
def test_a_program_gets_a_problem_at_the_same_address(
    stage: Stage, accept: str, method: str, status: int
) -> None:
    answer = answered(stage, method, "/nowhere" if status == 404 else "/documents", accept)

    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM)


def test_under_the_api_a_browser_too_gets_a_problem(stage: Stage) -> None:
    answer = answered(stage, "GET", "/v1/nowhere", BROWSER)

    assert (answer.status_code, answer.headers["content-type"]) == (404, PROBLEM)
