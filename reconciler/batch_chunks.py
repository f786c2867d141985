"""Which documents of a plan are carried out in one transaction: neighbours of one account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from .batch_values import Planned

DOCUMENTS_MAX: Final = 100
ITEMS_MAX: Final = 1_000
"""Enough that the commit is cheap, few enough that others of the account hardly wait."""


def chunks(lines: Iterable[Planned]) -> Iterator[list[Planned]]:
    """Every line once, in order."""
    chunk: list[Planned] = []
    items = 0
    for line in lines:
        items += len(line.items)
        is_full = len(chunk) >= DOCUMENTS_MAX or items > ITEMS_MAX
        if chunk and (is_full or line.account_id != chunk[0].account_id):
            yield chunk
            chunk, items = [], len(line.items)
        chunk.append(line)
    if chunk:
        yield chunk
