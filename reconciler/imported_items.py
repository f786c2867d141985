"""The items of a document from elsewhere: one for each name it tried, its intent without a mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .imported_part import Part
from .imported_times import Times
from .model import Call, Grade, Intent, Item, ItemState, Outcome


def items_of(parts: tuple[Part, ...], times: Times, *, is_begun: bool) -> Iterator[Item]:
    """Items `1`, `2`, … in the order of the lines; where an id was recorded, confirmed.

    Of a document that never began nothing can exist: its items wait and have no intent.
    """
    often = Counter((part.kind, part.container, name) for part in parts for name in part.names)
    position = 0
    for part in parts:
        for name, external_id in zip(part.names, part.external_ids, strict=True):
            intent = _intent(times, part, name, external_id) if is_begun else None
            yield Item(
                key=str(position + 1),
                position=position,
                kind=part.kind,
                name=name,
                params={},
                parent=part.container,
                parent_ref=None,
                item_part="",
                is_twin=often[part.kind, part.container, name] > 1,
                state=_state(intent),
                intent=intent,
            )
            position += 1


def _state(intent: Intent | None) -> ItemState:
    if intent is None:
        return ItemState.WAITING
    return ItemState.PENDING if intent.external_id is None else ItemState.CONFIRMED


def _intent(times: Times, part: Part, name: str, external_id: str | None) -> Intent:
    """As if written just before its one call, of which no more is known than whether it was
    answered with an id."""
    is_known = external_id is not None
    ended_at = times.publish_finished_at or times.seen_at or times.began_at
    call = Call(
        number=1,
        attempt=1,
        started_at=times.began_at,
        ended_at=ended_at if is_known else None,
        outcome=Outcome.CREATED if is_known else None,
        external_id=external_id,
    )
    return Intent(
        kind=part.kind,
        name=name,
        container=part.container,
        fingerprint="",  # names were recorded, no request
        mark=None,
        facts=2 if is_known else 1,
        calls=(call,),
        external_id=external_id,
        found_by=Grade.REPLY if is_known else None,
    )
