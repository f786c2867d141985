"""A claim by name and time gives way to one that is proven: it becomes `held(contested)`.

In a transaction of its own, *before* the id is bound to its owner: killed between the two, the id
is bound to nobody and the loser waits for a person, so that no entity ever stands for two items.
"""

from __future__ import annotations

from . import events
from .copying import replace
from .deciding import told_state
from .facts import with_items
from .lease import is_free
from .lifecycle import On, move
from .limits import Limits
from .model import Document, DocumentState, Item, ItemState, Reason
from .outside import Outside
from .ports import Anyhow, Binding, Change, Event, View
from .the_end import THE_END

_RESTING = frozenset(
    {
        DocumentState.QUEUED,
        DocumentState.PUBLISHED,
        DocumentState.PARTLY_PUBLISHED,
    }
)


async def give_up(binding: Binding, outside: Outside, *, to: str) -> None:
    """Have the holder of a binding that is no proof let go of the id. Durable on return.

    `to` says for the journal which document takes it. Nothing where it let go meanwhile, or its
    claim has been proven since.
    """

    def decide(view: View) -> Change:
        document = contested(view.document, binding, view, outside.limits)
        told = () if document is view.document else (_told(binding, to),)
        return Change(document=document, events=(*told, *told_state(view.document, document)))

    await outside.ledger.change(binding.document_id, Anyhow(), decide)


def contested(document: Document, binding: Binding, view: View, limits: Limits) -> Document:
    """The document without the binding. Whoever holds its lease finds the item moved, and ends it;
    where nobody does, a document at rest is `held`, also a published one."""
    lost = with_items(document, lambda item: _without(item, binding))
    if lost is document or document.state not in _RESTING or not is_free(document.lease, view.now):
        return lost
    line = next(line for line in THE_END if line.fits(lost, limits))
    moved = move(lost, On.CONTEST, line.state(lost), view.now)
    is_queued = moved.state is DocumentState.QUEUED
    return moved if is_queued else replace(moved, due_at=moved.owes_look_from)


def _told(binding: Binding, to: str) -> Event:
    detail = {"external_id": binding.external_id, "given_up_to": to}
    return Event(kind=events.CONTESTED, item=binding.item, detail=detail)


def _without(item: Item, binding: Binding) -> Item:
    intent = item.intent
    if item.key != binding.item or intent is None or intent.external_id != binding.external_id:
        return item
    if intent.found_by is None or intent.found_by.is_proof:
        return item
    given_up = replace(
        intent,
        external_id=None,
        found_by=None,
        created_time=None,
        effective_status=None,
        attributes=None,
        unlisted_since=None,
        reason=Reason.CONTESTED,
        facts=intent.facts + 1,
    )
    return replace(item, state=ItemState.HELD, intent=given_up)
