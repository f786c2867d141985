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
    """What its items share, with how many there are; `documents` are the newest ids of them.

    `said` is what the API, or the network, said to the newest of them; None: nothing.
    """

    state: ItemState
    words: str
    why: str
    edge: str
    said: str | None
    items: int
    documents: tuple[str, ...]
    document_count: int


def causes_of(troubles: Iterable[Trouble]) -> list[Cause]:
    """The most documents first; the sentence decides among equals."""
    groups: dict[tuple[ItemState, str, str, str], list[Trouble]] = defaultdict(list)
    for one in troubles:
        groups[one.state, _words(one), _why(one), EDGES[one.kind]].append(one)
    found = [
        Cause(
            state=state,
            words=words,
            why=why,
            edge=edge,
            said=next((one.message for one in alike if one.message), None),
            items=len(alike),
            documents=tuple(_ids(alike))[:DOCUMENTS_SHOWN_MAX],
            document_count=len(_ids(alike)),
        )
        for (state, words, why, edge), alike in groups.items()
    ]
    return sorted(found, key=lambda cause: (-cause.document_count, cause.words, cause.edge))


def _ids(alike: Iterable[Trouble]) -> list[str]:
    return list(dict.fromkeys(one.document_id for one in alike))


def _words(one: Trouble) -> str:
    code = None if one.code is None else f"code {one.code}"
    told = " · ".join(filter(None, (one.reason and one.reason.value, code)))
    return told or ("refused" if one.state is ItemState.REJECTED else "no answer")


def _why(one: Trouble) -> str:
    if one.reason is not None:
        return WHY[one.reason]
    if one.state is ItemState.REJECTED:
        return "the API refused the input: mend the plan and submit it again"
    return "sent, or perhaps sent; not looked up yet"
