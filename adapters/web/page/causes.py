"""Documents grouped by what stands in their way: one cause, one line, however many it stopped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from reconciler.model import ItemState, Kind

from ...shapes.advice import WHY
from ...store.causes import Trouble

EDGES: Final = {
    Kind.CAMPAIGN: "/campaigns",
    Kind.ADSET: "/adsets",
    Kind.ADCREATIVE: "/adcreatives",
    Kind.AD: "/ads",
}
DOCUMENTS_SHOWN_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What its items share, with how many there are; `documents` are the newest ids of them."""

    state: ItemState
    words: str
    why: str
    edge: str
    items: int
    documents: tuple[str, ...]
    document_count: int


def causes_of(troubles: Iterable[Trouble]) -> list[Cause]:
    """The most documents first; the sentence decides among equals."""
    groups: dict[tuple[ItemState, str, str, str], list[str]] = defaultdict(list)
    for one in troubles:
        groups[one.state, _words(one), _why(one), EDGES[one.kind]].append(one.document_id)
    found = [
        Cause(
            state=state,
            words=words,
            why=why,
            edge=edge,
            items=len(ids),
            documents=tuple(dict.fromkeys(ids))[:DOCUMENTS_SHOWN_MAX],
            document_count=len(set(ids)),
        )
        for (state, words, why, edge), ids in groups.items()
    ]
    return sorted(found, key=lambda cause: (-cause.document_count, cause.words, cause.edge))


def _words(one: Trouble) -> str:
    code = None if one.code is None else f"code {one.code}"
    return " · ".join(filter(None, (one.reason and one.reason.value, code, _row(one)))) or (
        "no answer was recorded"
    )


def _row(one: Trouble) -> str | None:
    """How the answer was read, where nothing says more."""
    return None if one.reason or one.code is not None else one.row


def _why(one: Trouble) -> str:
    if one.reason is not None:
        return WHY[one.reason]
    if one.state is ItemState.REJECTED:
        return "the API refused the input: mend the plan and submit it again"
    return "sent, or perhaps sent; not looked up yet"
