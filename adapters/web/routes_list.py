"""The route of the list: filters, counts, and pages that stay right while documents arrive."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from fastapi import Query, Request, Response

from reconciler.model import Kind

from ..bootstrap.service import page_of
from ..shapes import documents_list
from ..store.judged import Judged
from ..store.listed_state import ListedState
from ..store.pages import Place
from .access import Principal
from .desk import Desk
from .next_request import with_request
from .said_once import refuse_odd_query
from .shape_response import ShapeResponse

PAGE_MAX: Final = 200
KNOWN: Final = ("state", "account_id", "kind", "verdict", "limit", "after")
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

State = Annotated[
    ListedState | None,
    Query(description="Only this state; `crashed` ones are `publishing` ones too."),
]
AccountId = Annotated[
    str | None,
    Query(pattern=r"^(act_)?[1-9][0-9]{0,31}$", description="Only this account."),
]
OfKind = Annotated[Kind | None, Query(description="Only documents with an item of this kind.")]
Verdict = Annotated[
    Judged | None,
    Query(
        description="Only documents with an item, of the `kind` asked for, of which the latest look"
        " said this."
    ),
]
Limit = Annotated[int, Query(ge=1, le=PAGE_MAX, description="Documents in one page.")]
After = Annotated[
    str | None,
    Query(pattern=r"^[0-9]{1,16}:.{1,200}$", description="`after` of the page before."),
]


class ListRoutes:
    """Newest first, by the time of making and the id."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def documents(
        self,
        request: Request,
        *,
        state: State = None,
        account_id: AccountId = None,
        kind: OfKind = None,
        verdict: Verdict = None,
        limit: Limit = 50,
        after: After = None,
    ) -> Response:
        """One page of documents with state and next action, counts first. Looks at nothing."""
        refuse_odd_query(request, KNOWN)
        listed, next_place = await page_of(
            self._desk.product,
            state=state,
            accounts=_accounts(request.state.principal, account_id),
            after=None if after is None else place_of(after),
            limit=limit,
            kind=kind,
            verdict=verdict,
        )
        shape = documents_list(
            listed.counts, listed.lines, listed.now, listed.accounts, worker_seen=listed.worker_seen
        )
        lines = [with_request(line, request) for line in shape["documents"]]
        after_it = next_place and token_of(next_place)
        return ShapeResponse({**shape, "documents": lines, "after": after_it})


def _accounts(principal: Principal, asked: str | None) -> frozenset[str] | None:
    """Those to list; None: all. An account that may not be seen is as one without documents."""
    if asked is None:
        return principal.accounts
    one = frozenset({f"act_{asked.removeprefix('act_')}"})
    return one if principal.accounts is None else one & principal.accounts


def token_of(place: Place) -> str:
    """A place as one word. Nothing in it is secret; whatever is written like it is a place."""
    microseconds = (place.created_at - EPOCH) // timedelta(microseconds=1)
    return f"{microseconds}:{place.document_id}"


def place_of(token: str) -> Place:
    """The place that such a word stands for."""
    at, _, document_id = token.partition(":")
    created_at = EPOCH + timedelta(microseconds=int(at))
    return Place(created_at=created_at, document_id=document_id)
