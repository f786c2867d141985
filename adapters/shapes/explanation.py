"""`explain/1`: why each item was judged as it was, from the evidence stored with the verdict.

Nothing is computed again: what is shown is what the verdict rested on when it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from reconciler import events
from reconciler.model import Document, Item, JudgedItem, Origin, Reason
from reconciler.next_step import shown_next
from reconciler.ports import Recorded, View
from reconciler.settling import is_absence_proof
from reconciler.verdict import Evidence

from . import advice
from .document_state import next_action
from .offers import may_be_none
from .reverted import reverts_of, since_found
from .rivals import named, rivals
from .values import shown_time

SCHEMA: Final = "explain/1"

COPIED: Final = (
    "grade",
    "label",
    "lacking",
    "sent",
    "settings",
    "survivor_rows",
    "survivors",
    "window",
)
"""What is shown as it stands in the evidence, times apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A document and the stored evidence behind the latest verdict of each item, by its key.

    `journal` is the document's, for what people decided.
    """

    view: View
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    journal: tuple[Recorded, ...] = ()


def explanation(explained: Explained) -> dict[str, Any]:
    """The shape. `not_judged` holds the items for which no look ever came to its end."""
    view, document, journal = explained.view, explained.view.document, explained.journal
    judged = {verdict.item: verdict for verdict in document.verdicts}
    items = [
        _item(document, item, judged[item.key], explained.evidence[item.key].body, journal)
        | {"decisions": _decisions(item, journal)}
        for item in document.items
        if item.key in judged
    ]
    return {
        "schema": SCHEMA,
        "document_id": document.id,
        "state": document.state.value,
        "items": items,
        "not_judged": [_unjudged(item) for item in document.items if item.key not in judged],
        "next": next_action(
            document,
            shown_next(document, view.account, view.now, worker_seen=bool(view.worker_seen)),
            never_none={one["item"] for one in items if not one["may_be_none"]},
        ),
    }


def _item(
    document: Document,
    item: Item,
    judged: JudgedItem,
    body: Mapping[str, Any],
    journal: tuple[Recorded, ...],
) -> dict[str, Any]:
    contested_by = rivals(item, judged.reason, body, journal)
    proven, sayable = _is_proof(document, item), may_be_none(document, item, body)
    since = since_found(item, judged, journal)
    why = named(
        advice.why(
            judged.verdict, judged.reason, body.get("grade"), document.origin, proven=proven
        ),
        contested_by if judged.reason is Reason.CONTESTED else (),
    )
    return {
        "item": item.key,
        "kind": item.kind.value,
        "name": item.name,
        "origin": document.origin.value,
        "state": item.state.value,
        "verdict": judged.verdict,
        "reason": judged.reason.value if judged.reason else None,
        "proven_absent": judged.verdict == "absent" and proven,
        "why": f"{why}; since then {since}" if since else why,
        "since": since,
        "reverted": reverts_of(item.key, journal),
        "contested_by": contested_by,
        "second_entities": advice.second_entities(body),
        "left": advice.left(body),
        "may_be_none": sayable,
        "commands": advice.commands(
            document, item, judged.reason, may_be_none=sayable, is_given_up=since is not None
        ),
        "external_id": body.get("candidate_id"),
        "judged_at": shown_time(judged.judged_at),
        "settle_at": _time(body.get("settle_at")),
        "evidence_id": judged.evidence_id,
        "evidence_hash": judged.evidence_hash,
        "listing": _listing(body.get("listing")),
        "walks": [_listing(walk) for walk in body.get("walks", ())],
        "stages": list(body.get("stages", ())),
        "candidate": body.get("candidate"),
        **{name: body[name] for name in COPIED if name in body},
    }


def _is_proof(document: Document, item: Item) -> bool:
    """Whether `absent` proves that nothing was made. Of a document from elsewhere it never does:
    its times and names are what somebody wrote down."""
    is_ours = document.origin is Origin.OURS
    return is_ours and item.intent is not None and is_absence_proof(item.intent)


def _decisions(item: Item, journal: tuple[Recorded, ...]) -> list[dict[str, Any]]:
    """What people decided about the item, oldest first."""
    names = ("choice", "external_id", "also", "overridden", "reason", "by")
    return [
        {"at": shown_time(line.at)}
        | {name: line.event.detail.get(name) for name in names}
        | {"warnings": list(line.event.detail.get("warnings", ()))}
        for line in journal
        if line.event.kind == events.RESOLVED and line.event.item == item.key
    ]


def _listing(listing: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """None: the verdict needed none, for a call was answered."""
    if listing is None:
        return None
    times = {name: _time(listing.get(name)) for name in ("started_at", "ended_at")}
    return {**listing, **times}


def _time(text: str | None) -> str | None:
    return None if text is None else shown_time(datetime.fromisoformat(text))


def _unjudged(item: Item) -> dict[str, Any]:
    found_by = item.intent.found_by if item.intent else None
    return {
        "item": item.key,
        "state": item.state.value,
        "found_by": found_by.value if found_by else None,
    }
