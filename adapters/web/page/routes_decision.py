"""A person decides about one item: sees the candidates, then what would change, then records it."""

from __future__ import annotations

from typing import Any

from fastapi import Request, Response

from reconciler.errors import UnknownItem
from reconciler.model import Item, ItemState
from reconciler.resolve import Resolved
from reconciler.resolve_decision import EVIDENCE_AGE_MAX, REASON_LENGTH_MAX, Decision, is_open
from reconciler.resolve_preview import Foreseen, foresee, foretold

from ...shapes import shown_time
from ...shapes.advice import makes_more
from ...shapes.offers import NONE, offers
from ..browser_session import BrowserAccess
from ..desk import Desk
from ..forms import form_of
from ..routes_around import ItemKey
from ..routes_documents import DocumentId
from .action import DECIDERS, place_of_document, recover_of
from .ads_manager import ads_manager_link
from .answering import onward, page
from .candidates import LINES, comparison_of
from .decision_form import RECORD, STEP, decision_of, in_words, written_back
from .pressing import require_one
from .reading import Shown, shown
from .times import moment


class DecisionPage:
    """Reads what is stored; only `step=record` changes anything, and it creates nothing."""

    def __init__(self, desk: Desk, browser: BrowserAccess) -> None:
        self._desk = desk
        self._browser = browser

    async def form(self, request: Request, document_id: DocumentId, key: ItemKey) -> Response:
        """The item beside its candidates."""
        await self._desk.admit(request, document_id)
        product = self._desk.product
        seen = await shown(product, await product.peek(document_id), item=key)
        item = _item(seen, key)
        return page(
            request,
            self._browser,
            "decision.html",
            **_values(seen, item),
            may_decide=any(map(request.state.principal.may, DECIDERS)),
        )

    async def decide(self, request: Request, document_id: DocumentId, key: ItemKey) -> Response:
        """What it would change; with `step=record`, the decision itself."""
        principal = require_one(request, DECIDERS)
        await self._desk.admit(request, document_id)
        view = await self._desk.product.peek(document_id)
        form = await form_of(request)
        decision = decision_of(form, key, by=principal.name)
        words = in_words(decision, view.document)
        if form.get(STEP) != RECORD:
            looking = foresee(document_id, decision, self._desk.product.outside)
            foreseen: Foreseen = await self._desk.service.errands.run(looking)
            return self._previewed(request, document_id, decision, words, foreseen)
        work = self._desk.product.resolve(document_id, decision)
        resolved: Resolved = await self._desk.service.errands.run(work)
        if (why := _why_undecided(resolved)) is None:
            return onward(place_of_document(document_id))
        product = self._desk.product
        rows = foretold(await product.peek(document_id), decision, product.outside.limits)
        shown = Foreseen(rows=rows)
        return self._previewed(request, document_id, decision, words, shown, undecided=why)

    def _previewed(
        self,
        request: Request,
        document_id: str,
        decision: Decision,
        words_of_it: str,
        foreseen: Foreseen,
        *,
        undecided: str | None = None,
    ) -> Response:
        return page(
            request,
            self._browser,
            "preview.html",
            202 if undecided else 200,
            document_id=document_id,
            key=decision.item,
            decision=decision,
            words_of_it=words_of_it,
            foreseen=foreseen,
            unweighed=_why_unweighed(foreseen),
            fields=written_back(decision),
            undecided=undecided,
        )


def _item(seen: Shown, key: str) -> Item:
    try:
        return seen.view.document.item(key)
    except KeyError:
        raise UnknownItem(
            f"the document has no item {key}", next_step="go back to the document"
        ) from None


def _values(seen: Shown, item: Item) -> dict[str, Any]:
    state, account_id = seen.state, seen.state["account_id"]
    judged = seen.judged[0] if seen.judged else None
    sent_at = item.intent.calls[-1].started_at if item.intent and item.intent.calls else None
    compares = judged is not None and judged["listing"] is not None
    return {
        "document": state,
        "item": next(one for one in state["items"] if one["key"] == item.key),
        "judged": judged,
        "comparison": comparison_of(judged, account_id, sent_at) if judged and compares else None,
        "lines": LINES,
        "now": seen.view.now,
        "sent_at": shown_time(sent_at),
        "is_open": is_open(seen.view.document, item),
        "offers_none": _offers_none(seen, item),
        "makes_more": makes_more(seen.view.document),
        "is_old": _is_old(seen),
        "extras": _extras(seen, item),
        "look": recover_of(state["document_id"], "Look again"),
        "reason_max": REASON_LENGTH_MAX,
        "outside": lambda external_id: ads_manager_link(item.kind, account_id, external_id),
    }


def _offers_none(seen: Shown, item: Item) -> bool:
    """As the evidence offers it: elsewhere another create could be a second, and is refused."""
    reasons = [one.reason for one in seen.view.document.verdicts if one.item == item.key]
    sayable = any(one["may_be_none"] for one in seen.judged)
    return any(NONE in offers(item, reason, may_be_none=sayable) for reason in reasons)


def _is_old(seen: Shown) -> bool:
    """The product refuses it then: people outside may have renamed or deleted what it shows."""
    judged = seen.judged[0] if seen.judged else None
    return judged is not None and seen.view.now - moment(judged["judged_at"]) > EVIDENCE_AGE_MAX


def _extras(seen: Shown, item: Item) -> list[dict[str, Any]]:
    """Of an item that has its entity: what was seen beyond it, and nobody recorded as known."""
    if item.state is not ItemState.CONFIRMED:
        return []
    return [
        extra
        for extra in seen.state["surplus"]
        if extra["item"] == item.key and not extra["known"] and not extra["unlisted_since"]
    ]


def _why_undecided(resolved: Resolved) -> str | None:
    if resolved.held_by_another:
        return "another worker holds the lease; record it again in a moment"
    if resolved.withheld is not None:
        return f"there is no listing to decide on ({resolved.withheld.value}); record it again"
    return None


def _why_unweighed(foreseen: Foreseen) -> str | None:
    """Why the decision could not be weighed for the preview; None where it was."""
    if foreseen.held_by_another:
        return "another worker holds the lease"
    if foreseen.withheld is not None:
        return f"there is no listing to weigh it on ({foreseen.withheld.value})"
    return None
