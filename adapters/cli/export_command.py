"""`batch export`: every item with its external id and attributes, to stdout or to a file."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from rich.text import Text

from reconciler.model import Document, Origin
from reconciler.ports import Ledger

from ..bootstrap import Reconciler
from ..legacy import head, lines
from .exit_codes import ExitCode
from .output import visible, write_data
from .running import Stop
from .session import Told, Work
from .whole_file import lost, target_of

DOCUMENTS_AT_ONCE: Final = 50

Write = Callable[[str], object]


def export(form: str, output: Path | None, *, account: str | None, origin: Origin | None) -> Work:
    """Page by page, to stdout for None and for `-`. A file appears whole or not at all."""

    async def work(product: Reconciler, _: Stop) -> Told:
        documents = _documents(product.outside.ledger, account, origin)
        if output is None or str(output) == "-":
            await _write(documents, form, write_data)
            return Told(shape={}, picture=None, code=ExitCode.DONE)
        count, items = await _to_file(documents, form, output)
        shape = {
            "schema": "export/1", "file": str(output), "documents": count, "items": items
        }  # fmt: skip
        said = f"{items:,} items of {count:,} documents in {visible(str(output))}"
        return Told(shape=shape, picture=lambda: Text(said), code=ExitCode.DONE)

    return work


async def _documents(
    ledger: Ledger, account: str | None, origin: Origin | None
) -> AsyncIterator[Document]:
    after = ""
    while page := await ledger.exported(
        limit=DOCUMENTS_AT_ONCE, after=after, account_id=account, origin=origin
    ):
        for document in page:
            yield document
        after = page[-1].id


async def _write(documents: AsyncIterator[Document], form: str, write: Write) -> tuple[int, int]:
    write(head(form))
    count = items = 0
    async for document in documents:
        count += 1
        items += len(document.items)
        write("".join(lines(document, form)))
    return count, items


async def _to_file(documents: AsyncIterator[Document], form: str, output: Path) -> tuple[int, int]:
    target = target_of(output)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            told = await _write(documents, form, stream.write)
        unfinished.replace(target)
    except OSError as error:
        raise lost(output, error) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return told
