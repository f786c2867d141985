"""Why a publish is refused, and what leads on instead: by the state, for each has its own way."""

from __future__ import annotations

from typing import Final

from .errors import WrongState
from .model import Document, DocumentState, ItemState, Origin
from .once_more import doubling
from .signature import may_live_elsewhere
from .typed_command import typed_command

_D = DocumentState
_AS_NEW: Final = "as a new document: reconciler submit PLAN.json"
_MAY_EXIST: Final = frozenset({ItemState.PENDING, ItemState.HELD})


def refuse_imported(document: Document) -> None:
    """Raises `WrongState` where it is from elsewhere: nothing of it is ever created here."""
    if document.origin is Origin.IMPORTED:
        raise WrongState(
            "an imported document is never published: it may exist outside already",
            next_step=_of_imported(document),
        )


def refuse_cancelled(document: Document) -> None:
    """Raises `WrongState` where it was cancelled, or where a cancel was recorded that is honoured
    once what is under way ends: a publish said after it would be lost without a word.

    To be asked of a whole document: how many of its items exist is told too.
    """
    if document.state is _D.CANCELLED:
        raise WrongState("it was cancelled", next_step=_once_more(document))
    if document.cancel_requested and document.state is not _D.PUBLISHED:
        raise WrongState(
            "a cancel of it was recorded, and is honoured once what is under way ended",
            next_step=f"{typed_command('show', document.id)}; then {_once_more(document)}",
        )


def refuse_to_queue(document: Document) -> None:
    """Raises `WrongState` where publishing is over for good, or a person must decide first."""
    refuse_imported(document)
    refusals = {
        _D.PUBLISHED: ("everything of it is published already", _once_more(document)),
        _D.CANCELLED: ("it was cancelled", _once_more(document)),
        _D.HELD: ("a person must decide about it first", _decided_by(document)),
    }
    if document.state in refusals:
        message, next_step = refusals[document.state]
        raise WrongState(message, next_step=next_step)


def _decided_by(document: Document) -> str:
    explain, recover = (typed_command(name, document.id) for name in ("explain", "recover"))
    return f"{explain}, then {recover}"


def _once_more(document: Document) -> str:
    return f"to make it once more{doubling(document)}: reconciler submit PLAN.json --new"


def _of_imported(document: Document) -> str:
    """What is missing is named only where it is known: submitted before, it would be a second.

    At rest with an item that was not recorded, it finished elsewhere or was cancelled: nobody here
    looks for that item, so a person does.
    """
    if may_live_elsewhere(document):
        return (
            "import its line again with a later time, or with its end: "
            "reconciler import FILE --worker-gone-before TIME"
        )
    match document.state:
        case _D.PUBLISHING | _D.QUEUED:
            return typed_command("recover", document.id)
        case _D.HELD:
            return typed_command("explain", document.id)
        case _D.PUBLISHED:
            return typed_command("show", document.id)
        case _D.DRAFT:
            return f"it never began; submit it {_AS_NEW}"
    if any(item.state in _MAY_EXIST for item in document.items):
        return (
            "look into its old container in Ads Manager first, for what was not recorded may exist "
            f"(docs/old-documents.md); then submit what is missing {_AS_NEW}"
        )
    return f"submit what is missing {_AS_NEW}"
