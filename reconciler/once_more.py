"""What a second set of a document would double: told wherever one is offered."""

from __future__ import annotations

from .model import Document, Item, ItemState
from .signature import needs_settling


def doubling(document: Document) -> str:
    """To be put behind the offer: how many of its items exist outside, or may; else empty."""
    exist = sum(_exists(item) for item in document.items)
    may = sum(_may_exist(item) for item in document.items)
    total = len(document.items)
    if exist and may:
        told = f"{_exist(exist, total)} and {may} more may"
    elif exist:
        told = _exist(exist, total)
    elif may:
        told = f"{_of(may, total)} may exist outside"
    else:
        return ""
    return f", though {told} and would be made a second time"


def _exists(item: Item) -> bool:
    """What a listing does not show any more is gone."""
    is_unlisted = item.intent is not None and item.intent.is_unlisted
    return item.state is ItemState.CONFIRMED and not is_unlisted


def _may_exist(item: Item) -> bool:
    return item.state is ItemState.HELD or needs_settling(item)


def _exist(number: int, total: int) -> str:
    return f"{_of(number, total)} {'exists' if number == 1 else 'exist'} outside"


def _of(number: int, total: int) -> str:
    if number == total:
        return "its one item" if total == 1 else f"all its {total} items"
    return f"{number} of its {total} items"
