"""Whether one item may be sent now by the program that asks; whoever may not is told why.

Pure. Asked before the claim, for the reason, and again inside it, for the world may have moved.
"""

from __future__ import annotations

from typing import Final

from .errors import AlreadyMade, NotSettled, Refused, UnknownItem, WrongState
from .facts import expected_id
from .lease import is_live
from .lifecycle import refuse_imported, shown_next
from .limits import Limits
from .model import Document, DocumentState, Item, ItemState
from .next_step import of_closed, of_paused
from .next_wave import external_ids
from .ports import View
from .signature import is_unsettled
from .the_end import absent_without_a_mark
from .typed_command import typed_command

_FOR_A_PERSON: Final = frozenset({DocumentState.HELD, DocumentState.CANCELLED})

DECIDE = "a person must decide about it first; nothing more of its document is created before"


def refuse(view: View, key: str, limits: Limits) -> None:
    """Raises `AlreadyMade`, `Refused`, `NotSettled`, `WrongState` or `UnknownItem`."""
    refuse_item(view.document, key)
    _refuse_document(view, limits)


def refuse_item(document: Document, key: str) -> Item:
    """The item, if nothing about itself speaks against sending it."""
    item = next((item for item in document.items if item.key == key), None)
    if item is None:
        raise UnknownItem(f"document {document.id} has no item {key}", next_step=_show(document))
    _refuse_ended(document, item)
    refuse_imported(document)
    if missing := sorted(item.refs - external_ids(document).keys()):
        raise WrongState(f"it refers to {', '.join(missing)}", next_step="make what it refers to")
    if absent_without_a_mark(document, item):
        why = "it was sent without a mark and not found: no proof; a person must say publish"
        raise NotSettled(why, next_step=typed_command("publish", document.id))
    return item


def _refuse_ended(document: Document, item: Item) -> None:
    intent = item.intent
    match item.state:
        case ItemState.CONFIRMED if intent is not None and intent.external_id is not None:
            raise AlreadyMade(intent.external_id)
        case ItemState.REJECTED:
            error = intent.calls[-1].error if intent else None
            why = error.message if error else "the API refused its input"
            raise Refused(why, next_step="mend the plan and submit it again under its key")
        case ItemState.BLOCKED:
            raise WrongState("it refers to an item that cannot be made", next_step=_show(document))
        case ItemState.HELD:
            raise NotSettled(DECIDE, next_step=typed_command("explain", document.id))


def _refuse_document(view: View, limits: Limits) -> None:
    document = view.document
    if document.cancel_requested or document.state is DocumentState.CANCELLED:
        raise WrongState("it was cancelled", next_step=_show(document))
    if document.state is DocumentState.HELD:
        raise NotSettled(DECIDE, next_step=typed_command("explain", document.id))
    if is_live(document.lease, view.now) or is_unsettled(document, view.now):
        raise not_settled(view)
    if of_closed(view.account, view.now) or of_paused(view.account):
        raise not_settled(view)
    if document.attempts_used >= limits.max_attempts:
        why = "its attempts are used up; a person who found out why gives it new ones"
        raise NotSettled(why, next_step=typed_command("publish", document.id))


def not_settled(view: View) -> NotSettled:
    """In the words of the next safe action, and its time: now, where asking again is all it takes.

    None of a time where only a person can go on: it is held or cancelled, or its account is paused
    or refuses our token.
    """
    document = view.document
    if is_live(document.lease, view.now) and document.lease is not None:
        why = "somebody is at its document now"
        return NotSettled(why, until=document.lease.until, next_step=_show(document))
    away = of_closed(view.account, view.now) or of_paused(view.account)
    step = away or shown_next(document, view.account, view.now)
    until = step.until
    if until is None and away is None and document.state not in _FOR_A_PERSON:
        until = view.now
    return NotSettled(step.why, until=until, next_step=_show(document))


def stands_for(document: Document, key: str) -> str:
    """The id that the item has, or will get: another one where somebody made it meanwhile.

    For an item that was answered with an id. Raises `WrongState` where it binds none any more.
    """
    intent = document.item(key).intent
    external_id = expected_id(intent, document.state) if intent is not None else None
    if external_id is None:
        why = "it was cancelled meanwhile; what was made is recorded as surplus"
        raise WrongState(why, next_step=_show(document))
    return external_id


def _show(document: Document) -> str:
    return typed_command("show", document.id)
