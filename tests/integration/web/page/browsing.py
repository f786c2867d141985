"""A browser in front of the service: it signs in, reads pages and sends their forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import httpx

from adapters.web import Scope
from fixtures.stage import Stage
from tests.integration.web.keyed import asked_at, key_for
from tests.integration.web.page.markup import Element, fields_of, page_of

OWN: Final = {"Sec-Fetch-Site": "same-origin"}


@dataclass(frozen=True)
class Browser:
    """What a person does with it. Redirects are followed, as a browser does."""

    client: httpx.AsyncClient

    async def get(self, place: str, **headers: str) -> httpx.Response:
        """The answer."""
        return await self.client.get(place, headers=headers, follow_redirects=True)

    async def page(self, place: str) -> Element:
        """The page, which must be there and well formed."""
        answer = await self.get(place)
        assert answer.status_code == 200, answer.text
        return page_of(answer.text)

    async def send(self, place: str, form: Element, **given: str) -> httpx.Response:
        """Fill in the form of this page and press its button."""
        return await self.post(form.attributes.get("action", place), fields_of(form) | given)

    async def post(self, place: str, fields: dict[str, str], **headers: str) -> httpx.Response:
        """The answer, after the redirect."""
        sent = await self.client.post(place, data=fields, headers=OWN | headers)
        return await self.get(sent.headers["location"]) if sent.status_code == 303 else sent


Browsing = Callable[[Browser], Awaitable[Any]]


def browsed(
    stage: Stage, browsing: Browsing, *scopes: Scope, accounts: list[str] | None = None
) -> Any:
    """What came of browsing: with a key of these scopes, or without keys on this machine.

    Nothing is created by it unless a test presses `publish`.
    """
    key = key_for(stage, *scopes, accounts=accounts) if scopes else None

    async def asking(client: httpx.AsyncClient) -> Any:
        if key is not None:
            begun = await client.post("/sign-in", data={"key": key}, headers=OWN)
            assert begun.status_code == 303, begun.text
        return await browsing(Browser(client))

    return asked_at(stage, asking, host="localhost" if key is None else "0.0.0.0")


def seen(stage: Stage, place: str, *scopes: Scope, accounts: list[str] | None = None) -> Element:
    """One page."""

    async def browsing(browser: Browser) -> Element:
        return await browser.page(place)

    found = browsed(stage, browsing, *scopes, accounts=accounts)
    assert isinstance(found, Element)
    return found


def place_of(document_id: str) -> str:
    return f"/documents/{document_id}"


def decision_of(document_id: str, item: str = "a1") -> str:
    return f"{place_of(document_id)}/items/{item}/decision"
