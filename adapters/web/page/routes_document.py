"""The page of one document, and the changes that its buttons make."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from fastapi import Request, Response

from reconciler.settle import Settled

from ...shapes import about_surplus, counted
from ..browser_session import BrowserAccess
from ..desk import LOOK_GOES_ON, Desk
from ..routes_documents import DocumentId, DocumentRoutes
from . import looked
from .action import PUBLISHERS, RECOVERERS, others_of, place_of_document, primary_of
from .ads_manager import ads_manager_link
from .answering import onward, page
from .funnel import funnel_of
from .pressing import require_one
from .reading import Shown, shown
from .timeline_groups import groups_of

ITEMS_SHOWN_MAX: Final = 200
ITEMS_QUERY: Final = "all"

LOOK_WAIT_SECONDS: Final = 10.0
"""How long a browser waits for a look; the look goes on, and the page says that one is made."""


class DocumentPage:
    """Each is what the API's route of that name does, answered as a page."""

    def __init__(self, desk: Desk, browser: BrowserAccess) -> None:
        self._desk = desk
        self._browser = browser
        self._routes = DocumentRoutes(desk)

    async def read(self, request: Request, document_id: DocumentId) -> Response:
        """The document, after takeover and settling if they are due, within the read budget."""
        await self._desk.admit(request, document_id)
        settled = await self._desk.product.read(document_id, going_on=LOOK_GOES_ON)
        self._desk.service.remember(settled.view)
        seen = await shown(self._desk.product, settled.view)
        shows_all = ITEMS_QUERY in request.query_params
        return page(
            request,
            self._browser,
            "document.html",
            **_values(seen, request, None if shows_all else ITEMS_SHOWN_MAX),
            note=_what_reading_did(settled) or looked.note_of(request.query_params),
        )

    async def evidence(self, request: Request, document_id: DocumentId, key: str) -> Response:
        """The evidence of one item. Looks at nothing outside."""
        await self._desk.admit(request, document_id)
        product = self._desk.product
        seen = await shown(product, await product.peek(document_id), item=key)
        return page(
            request, self._browser, "evidence.html", key=key, **_values(seen, request, None)
        )

    async def head(self, request: Request, document_id: DocumentId) -> Response:
        """Whether there is such a document. Starts nothing."""
        await self._desk.admit(request, document_id)
        await self._desk.service.account_of(document_id)
        return Response(media_type="text/html")

    async def publish(self, request: Request, document_id: DocumentId) -> Response:
        """A person's `publish`."""
        require_one(request, PUBLISHERS)
        await self._routes.publish(request, document_id)
        return onward(place_of_document(document_id))

    async def cancel(self, request: Request, document_id: DocumentId) -> Response:
        """Create nothing more of it."""
        require_one(request, PUBLISHERS)
        await self._routes.cancel(request, document_id)
        return onward(place_of_document(document_id))

    async def recover(self, request: Request, document_id: DocumentId) -> Response:
        """Take over and look because a person asks; creates nothing."""
        return await self._looked(request, document_id, self._desk.product.recover)

    async def refresh(self, request: Request, document_id: DocumentId) -> Response:
        """List what is recorded because a person asks; moves no state."""
        refreshed = partial(self._desk.product.read, refresh=True)
        return await self._looked(request, document_id, refreshed)

    async def _looked(
        self,
        request: Request,
        document_id: str,
        look: Callable[[str], Coroutine[Any, Any, Settled]],
    ) -> Response:
        require_one(request, RECOVERERS)
        await self._desk.admit(request, document_id)
        looking = self._desk.service.errands.start(look(document_id))
        await asyncio.wait([looking], timeout=LOOK_WAIT_SECONDS)
        word = looked.word_of(looking.result()) if looking.done() else looked.UNDER_WAY
        said = f"?{looked.QUERY}={word}" if word else ""
        return onward(f"{place_of_document(document_id)}{said}")


def _values(seen: Shown, request: Request, items_max: int | None) -> dict[str, Any]:
    state = seen.state
    items = state["items"][:items_max]
    groups, unshown_lines = groups_of(seen.story, state["attempts"])
    account_id = state["account_id"]
    return {
        "document": state,
        "short_key": _short(state["key"]),
        "now": seen.view.now,
        "items": items,
        "hidden_items": len(state["items"]) - len(items),
        "counted": counted(state["items"]),
        "about_surplus": about_surplus(state),
        "primary": primary_of(state),
        "others": others_of(state),
        "may": {scope: request.state.principal.may(scope) for scope in PUBLISHERS | RECOVERERS},
        "principal": request.state.principal,
        "is_rescued": seen.is_rescued,
        "is_decided": seen.is_decided,
        "judged": [(one, funnel_of(one)) for one in seen.judged],
        "unshown": seen.unshown,
        "groups": groups,
        "unshown_lines": unshown_lines,
        "outside": lambda kind, external_id: ads_manager_link(kind, account_id, external_id),
    }


def _short(key: str) -> str:
    """A hash is told by its beginning; the JSON has all of it."""
    is_hash = re.fullmatch("[0-9a-f]{64}(-.*)?", key)
    return f"{key[:12]}… (hash of its plan)" if is_hash else key


def _what_reading_did(settled: Settled) -> str | None:
    """What this very read came to, where it was more than reading."""
    if settled.held_by_another:
        return "Somebody else is looking at it right now: this is how it stands meanwhile."
    if settled.withheld is not None:
        return (
            f"It was looked at just now, and there is no verdict yet: {settled.withheld.value}. "
            "What was not read is not known."
        )
    return None
