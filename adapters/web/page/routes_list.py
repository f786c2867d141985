"""The list of documents: counts and filters beside it, the numbers that matter above it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from fastapi import Request, Response

from reconciler.model import DocumentState, Kind

from ...bootstrap.service import page_of
from ...shapes import documents_list
from ...shapes.values import shown_time
from ...store.causes import TROUBLES_MAX
from ...store.finding import Which
from ...store.judged import Judged
from ...store.listed_state import ListedState
from ...store.overview import COUNT_MAX, Overview
from ..access import Principal
from ..browser_session import BrowserAccess
from ..desk import Desk
from . import words
from .answering import page
from .causes import causes_of
from .list_question import Question, question_of
from .times import span

LINES_SHOWN: Final = 50


class ListPage:
    """Reads only; a look is nobody's business here."""

    def __init__(self, desk: Desk, browser: BrowserAccess) -> None:
        self._desk = desk
        self._browser = browser

    async def documents(self, request: Request) -> Response:
        """One page of the list, or what stands in the way, by cause."""
        asked = question_of(request)
        accounts = _accounts(request.state.principal, asked.account_id)
        seen = await self._desk.service.ledger.overview(
            accounts=accounts, since=asked.since_at, kind=asked.kind, verdict=asked.verdict
        )
        shown = self._by_cause if asked.by_cause else self._lines
        return page(
            request,
            self._browser,
            "causes.html" if asked.by_cause else "list.html",
            asked=asked,
            seen=seen,
            now=seen.now,
            numbers=[*_numbers(seen, asked), *_accounts_apart(seen)],
            throttled=[(one.id, shown_time(one.until)) for one in seen.throttled],
            states=_states(seen, asked),
            filters=_filters(seen, asked),
            kinds=list(Kind),
            verdicts=list(Judged),
            title=_title(asked),
            **await shown(asked, accounts),
        )

    async def _lines(self, asked: Question, accounts: Collection[str] | None) -> dict[str, Any]:
        listed, after = await page_of(
            self._desk.product,
            state=ListedState(asked.state) if asked.state else None,
            accounts=accounts,
            after=asked.after,
            limit=LINES_SHOWN,
            which=asked.which,
            since=asked.since_at,
            kind=asked.kind,
            verdict=asked.verdict,
            counted=False,
        )
        shape = documents_list(
            listed.counts, listed.lines, listed.now, listed.accounts, worker_seen=listed.worker_seen
        )
        more = asked.link(after=after) if after else None
        return {"documents": shape["documents"], "more": more}

    async def _by_cause(self, asked: Question, accounts: Collection[str] | None) -> dict[str, Any]:
        ledger = self._desk.service.ledger
        troubles = await ledger.troubles(
            accounts=accounts, since=asked.since_at, kind=asked.kind, verdict=asked.verdict
        )
        return {"causes": causes_of(troubles), "is_cut": len(troubles) >= TROUBLES_MAX}


def _accounts(principal: Principal, asked: str | None) -> frozenset[str] | None:
    """Those to list; None: all. An account that may not be seen is as one without documents."""
    if asked is None:
        return principal.accounts
    return frozenset({asked} if principal.sees(asked) else ())


def _numbers(seen: Overview, asked: Question) -> list[dict[str, str]]:
    """The row above the list; each leads to what it counts."""

    def _number(name: str, told: str, which: Which) -> dict[str, str]:
        link = asked.link(which=which, state=None, by_cause=False)
        return {"name": name, "told": told, "link": link}

    return [
        _number("unsettled", _capped(seen, Which.UNSETTLED), Which.UNSETTLED),
        _number("oldest unsettled", _age(seen, Which.UNSETTLED), Which.UNSETTLED),
        _number("needs a person", _capped(seen, Which.NEEDS_PERSON), Which.NEEDS_PERSON),
        _number("with surplus", _capped(seen, Which.SURPLUS), Which.SURPLUS),
        _number("recovered in 24 h", _capped(seen, Which.RECOVERED), Which.RECOVERED),
    ]


def _accounts_apart(seen: Overview) -> list[dict[str, str]]:
    """How many accounts create nothing just now. What is left of the others' allowance no ledger
    knows: the API tells it to whoever asked it last."""
    return [
        {"name": "throttled accounts", "told": _told(seen.throttled_count), "link": ""},
        {"name": "paused accounts", "told": _told(seen.paused_count), "link": ""},
    ]


def _capped(seen: Overview, which: Which) -> str:
    return _told(seen.found[which])


def _told(count: int) -> str:
    return f"{COUNT_MAX:,}+" if count > COUNT_MAX else f"{count:,}"


def _age(seen: Overview, which: Which) -> str:
    since: datetime | None = seen.oldest.get(which)
    return "–" if since is None else span(seen.now - since)


def _states(seen: Overview, asked: Question) -> list[dict[str, Any]]:
    return [
        {
            "sign": words.DOCUMENT[state],
            "means": words.STATE_MEANS[state],
            "count": f"{seen.counts.get(state, 0):,}",
            "link": asked.link(state=state, which=None, by_cause=False),
            "is_chosen": asked.state is state and not asked.by_cause,
        }
        for state in DocumentState
    ]


def _filters(seen: Overview, asked: Question) -> list[dict[str, Any]]:
    return [
        {
            "symbol": symbol,
            "name": name,
            "means": means,
            "count": _capped(seen, which),
            "link": asked.link(which=which, state=None, by_cause=False),
            "is_chosen": asked.which is which and not asked.by_cause,
        }
        for which, (symbol, name, means) in words.FILTER.items()
    ]


def _title(asked: Question) -> tuple[str, str]:
    """What is listed, and what that means."""
    if asked.by_cause:
        return "What stands in the way", (
            "items that are pending, held or rejected, grouped by what was said of them"
        )
    if asked.which is not None:
        _, name, means = words.FILTER[asked.which]
        return f"Documents: {name}", means
    if asked.state is not None:
        return f"Documents: {words.DOCUMENT[asked.state].word}", words.STATE_MEANS[asked.state]
    return "Documents", "all of them, newest first"
