"""Who may see and press what, that no other site's page can, and what a page may load."""

from __future__ import annotations

from typing import Any, Final

import httpx
import pytest

from adapters.web import Scope
from fixtures.stage import Stage
from reconciler.model import DocumentState
from tests.crash.plans import ads
from tests.integration.web.keyed import bearing, key_for
from tests.integration.web.page import scenes
from tests.integration.web.page.browsing import OWN, Browser, browsed, decision_of, place_of
from tests.integration.web.page.markup import Element, fields_of, page_of

POLICY: Final = {
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "img-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}

PRESSES: Final[dict[str, tuple[str, dict[str, str], set[Scope]]]] = {
    "publish": ("{place}/publish", {}, {Scope.PUBLISH}),
    "recover": ("{place}/recover", {}, {Scope.PUBLISH, Scope.RESOLVE}),
    "refresh": ("{place}/refresh", {}, {Scope.PUBLISH, Scope.RESOLVE}),
    "cancel": ("{place}/cancel", {}, {Scope.PUBLISH}),
    "decide": (
        "{place}/items/a1/decision",
        {"choice": "hold", "reason": "later", "step": "record"},
        {Scope.RESOLVE},
    ),
}
"""Where each button leads, what it sends, and which scopes may press it, `admin` apart."""


def policy_of(answer: httpx.Response) -> dict[str, str]:
    parts = (part.split(None, 1) for part in answer.headers["content-security-policy"].split(";"))
    return dict(parts)


def test_every_answer_may_load_from_here_alone(stage: Stage) -> None:
    held, _ = scenes.held_before_two(stage)
    pages = ["/", "/documents", "/documents?by_cause=1", place_of(held), decision_of(held),
             f"{place_of(held)}/items/a1/evidence", "/sign-in", "/documents/nope",
             "/documents?state=x"]  # fmt: skip

    async def browsing(browser: Browser) -> list[httpx.Response]:
        answers = [await browser.client.get(one) for one in pages]
        style = page_of(answers[1].text).one("link", rel="stylesheet").attributes["href"]
        answers.append(await browser.client.get(style))
        answers.append(await browser.client.head(place_of(held)))
        return [*answers, await browser.client.post(f"{place_of(held)}/publish")]

    answers = browsed(stage, browsing)

    assert [one.status_code for one in answers] == [
        303, 200, 200, 200, 200, 200, 200, 404, 422, 200, 200, 403,
    ]  # fmt: skip
    for answer in answers:
        assert policy_of(answer) == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
    for answer in answers[1:9]:
        assert answer.headers["cache-control"] == "no-store"
    assert "immutable" in answers[9].headers["cache-control"]


def test_a_page_refers_to_nothing_elsewhere_but_what_a_person_follows(stage: Stage) -> None:
    held, _ = scenes.held_before_two(stage)

    async def browsing(browser: Browser) -> list[Element]:
        asked = ("/documents", place_of(held), decision_of(held), "/sign-in")
        return [await browser.page(one) for one in asked]

    for page in browsed(stage, browsing):
        for one in page.below():
            assert not {name for name in one.attributes if name.startswith("on")}
            assert "style" not in one.attributes
            assert one.tag not in ("script", "style", "iframe", "img", "object", "base")
            loaded = one.attributes.get("src") or one.attributes.get("action")
            loaded = loaded or (one.attributes.get("href") if one.tag == "link" else None)
            assert loaded is None or loaded.startswith("/")


@pytest.mark.parametrize("held", [Scope.READ, Scope.PUBLISH, Scope.RESOLVE])
def test_a_button_is_pressed_by_who_holds_its_scope_alone(stage: Stage, held: Scope) -> None:
    """In an order in which each press leaves the next one something to do."""
    document_id, _ = scenes.held_beside_a_stranger(stage)
    place = place_of(document_id)

    async def browsing(browser: Browser) -> list[Any]:
        page = await browser.page(place)
        token = token_in(page)
        answers = {
            name: await browser.post(PRESSES[name][0].format(place=place), token | PRESSES[name][1])
            for name in ("recover", "refresh", "decide", "publish", "cancel")
        }
        return [page, answers]

    page, answers = browsed(stage, browsing, held)

    for name, answer in answers.items():
        if held in PRESSES[name][2]:
            assert answer.status_code in (200, 409), answer.text
        else:
            assert answer.status_code == 403
            assert "scope" in page_of(answer.text).text
    may_cancel = held in PRESSES["cancel"][2]
    assert (stage.document(document_id).state is DocumentState.CANCELLED) is may_cancel
    for form in page.one("div", class_="others").all("form"):
        name = form.attributes["action"].rpartition("/")[2]
        is_open = "disabled" not in form.one("button").attributes
        assert is_open is (held in PRESSES[name][2])


FORGED: Final = [
    ("right", {"Sec-Fetch-Site": "cross-site"}),
    ("right", {"Sec-Fetch-Site": "same-site"}),
    ("right", {"Sec-Fetch-Site": "none"}),
    ("right", {}),
    ("wrong", OWN),
    ("none", OWN),
]
"""The token that a form bears, and where the browser says that it comes from."""


@pytest.mark.parametrize("scopes", [(Scope.ADMIN,), ()], ids=["signed in", "this machine"])
def test_what_no_page_of_ours_sent_is_refused(stage: Stage, scopes: tuple[Scope, ...]) -> None:
    document_id = stage.submit(ads("A draft"))
    before = stage.document(document_id)

    async def browsing(browser: Browser) -> list[httpx.Response]:
        right = token_in(await browser.page(place_of(document_id)))
        tokens = {"right": right, "wrong": dict.fromkeys(right, "x" * 64), "none": {}}
        return [
            await browser.client.post(
                place.format(place=place_of(document_id)),
                data=tokens[token] | fields,
                headers=headers,
            )
            for place, fields, _ in PRESSES.values()
            for token, headers in FORGED
        ]

    for answer in browsed(stage, browsing, *scopes):
        assert answer.status_code == 403
        assert policy_of(answer) == POLICY
    assert stage.document(document_id) == before
    assert stage.graph.creates == []


def token_in(page: Element) -> dict[str, str]:
    """What every form of this browser's session bears."""
    return fields_of(page.one("div", class_="others").all("form")[0])


def test_a_key_in_a_header_presses_nothing_here(stage: Stage) -> None:
    """Programs have operations of their own; what presses a button shows a page's token."""
    document_id = stage.submit(ads("A draft"))
    admin = bearing(key_for(stage, Scope.ADMIN))

    async def browsing(browser: Browser) -> list[int]:
        place = place_of(document_id)
        read = await browser.client.get(place, headers=admin)
        sent = await browser.client.post(f"{place}/publish", data={}, headers=admin | OWN)
        return [read.status_code, sent.status_code]

    assert browsed(stage, browsing, Scope.READ) == [200, 403]
    assert stage.document(document_id).state is DocumentState.DRAFT


def test_whoever_is_not_signed_in_is_asked_to_and_comes_back_where_they_wanted_to(
    stage: Stage,
) -> None:
    document_id = stage.submit(scenes.titled("Mine", "One"))
    key = key_for(stage, Scope.READ)

    async def browsing(browser: Browser) -> list[Element]:
        await browser.client.get("/documents")
        browser.client.cookies.clear()
        answer = await browser.get(f"{place_of(document_id)}?all")
        form = page_of(answer.text).one("form")
        wrong = await browser.send("", form, key="rk_0_0")
        right = await browser.send("", page_of(wrong.text).one("form"), key=key)
        return [page_of(wrong.text), page_of(right.text)]

    wrong, right = browsed(stage, browsing, Scope.READ)

    assert "not known" in wrong.one("p", role="alert").text
    assert right.one("h1").text == "Mine"
    assert right.one("div", class_="who").one("bdi").text.startswith("ops")


def test_signing_out_ends_it(stage: Stage) -> None:
    async def browsing(browser: Browser) -> str:
        page = await browser.page("/documents")
        await browser.send("", page.one("div", class_="who").one("form"))
        return str((await browser.get("/documents")).url.path)

    assert browsed(stage, browsing, Scope.READ) == "/sign-in"


def test_another_accounts_document_is_as_unknown_as_none(stage: Stage) -> None:
    document_id, _ = scenes.held_before_two(stage)
    before = stage.document(document_id)

    async def browsing(browser: Browser) -> list[int]:
        page = await browser.page("/documents")
        token = fields_of(page.one("div", class_="who").one("form"))
        answers = [
            await browser.get(place_of(document_id)),
            await browser.client.head(place_of(document_id)),
            await browser.get(decision_of(document_id)),
            await browser.get(f"{place_of(document_id)}/items/a1/evidence"),
        ]
        for place, fields, _ in PRESSES.values():
            sent = place.format(place=place_of(document_id))
            answers.append(await browser.post(sent, token | fields))
        return [one.status_code for one in answers]

    statuses = browsed(stage, browsing, Scope.ADMIN, accounts=["act_1002"])

    assert statuses == [404] * (4 + len(PRESSES))
    assert stage.document(document_id) == before
