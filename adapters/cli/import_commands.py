"""`import` and its preview: open the source, take it over batch by batch, say what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from reconciler import importing
from reconciler.imported import Stated
from reconciler.imported_lines import Refused

from ..bootstrap import Reconciler
from ..legacy import RefusedFile, Source, database, opened
from ..settings import load_settings
from ..shapes import import_preview, import_report
from ..shapes.import_report import REFUSED_SHOWN_MAX
from .exit_codes import after_import
from .import_picture import import_picture, preview_picture
from .line_progress import followed
from .running import Stop
from .session import Told, Work

PREVIEWED: Final = 5
"""Documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was typed. `file` None: the database of the settings."""

    file: str | None
    form: str | None
    gone_before: datetime
    complete: frozenset[str]

    @property
    def stated(self) -> Stated:
        """What the person says."""
        return Stated(gone_before=self.gone_before, complete=self.complete)

    def source(self) -> AbstractContextManager[Source]:
        """Opened here, for an error of it to be told before anything is done."""
        if self.file is None:
            return database(load_settings())
        return opened(self.file, self.form)


@dataclass(slots=True)
class _Refusals:
    """Every fault goes to the file, the first also to who asked."""

    file: RefusedFile
    shown: list[Refused] = field(default_factory=list)

    def add(self, refused: Refused) -> None:
        self.file.add(refused)
        if len(self.shown) < REFUSED_SHOWN_MAX:
            self.shown.append(refused)


def take_over(asked: Asked) -> Work:
    """Import all of it; what was committed stays, wherever it is stopped."""

    async def work(product: Reconciler, _: Stop) -> Told:
        with asked.source() as source, _refusals(source) as refusals, followed(source) as step:
            told = await importing.import_documents(
                source.lines, asked.stated, product.outside, refuse=refusals.add, step=step
            )
        file = refusals.file
        shape = import_report(told, refusals.shown, str(file.path) if file.is_there else None)
        return Told(
            shape=shape,
            picture=lambda: import_picture(shape),
            code=after_import(told.refused),
            notes=(file.trouble,) if file.trouble else (),
        )

    return work


@contextmanager
def _refusals(source: Source) -> Iterator[_Refusals]:
    with closing(RefusedFile(source.beside)) as file:
        yield _Refusals(file)


def preview(asked: Asked) -> Work:
    """Show the first documents as they are understood; nothing is stored."""

    async def work(product: Reconciler, _: Stop) -> Told:
        with asked.source() as source:
            found = await importing.preview(
                source.lines, asked.stated, product.outside, PREVIEWED + 1
            )
        shown = found[:PREVIEWED]
        shape = import_preview(shown, has_more=len(found) > len(shown))
        code = after_import(sum(len(group.refused) for group, _ in shown))
        return Told(shape=shape, picture=lambda: preview_picture(shape), code=code)

    return work
