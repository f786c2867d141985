"""How a document stands once a person's decision about one of its items is made.

Pure: frozen document in, frozen document out; `now` is the ledger's.
"""

from __future__ import annotations

from typing import Final

from .copying import replace
from .lifecycle import cancel_is_due, cancelled
from .limits import Limits
from .model import Document, DocumentState, ItemState
from .ports import View
from .the_end import the_end

SETTLING: Final = frozenset({DocumentState.QUEUED, DocumentState.HELD})
"""States from which a settle lease leads to *the end*; the others stay what they are."""


def at_rest(document: Document, view: View, limits: Limits, fraction: float) -> Document:
    """Give the lease back: by *the end* where the state leads to it, else as the document stands.

    `published` and `cancelled` absorb: what is held in them is told by `next`.
    """
    if document.state in SETTLING:
        pending = any(item.state is ItemState.PENDING for item in document.items)
        due_at = document.due_at if pending else None
        return the_end(document, view.now, limits, fraction, due_at=due_at)
    document = replace(document, lease=None, recoveries=0)
    return cancelled(document, view.now) if cancel_is_due(document, view.now) else document
