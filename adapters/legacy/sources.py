"""Where documents from elsewhere come from: a file, standard input, or a database."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from reconciler.errors import InvalidImport
from reconciler.imported_lines import RawLine

from ..settings import Settings
from .byte_lines import Readable
from .csv_rows import csv_rows
from .database import database_rows
from .jsonl import json_lines
from .standard_input import StandardInput

FORMATS: Final = ("jsonl", "csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Lines, and how far one is through them. `size` in bytes, None where it is not known."""

    lines: Iterator[RawLine]
    beside: Path  # where the file of refused lines goes, without its ending
    size: int | None = None
    position: Callable[[], int] = lambda: 0


@contextmanager
def opened(file: str, form: str | None) -> Iterator[Source]:
    """A file, or `-` for standard input; by its ending, or `form`, JSON lines or CSV.

    Raises `InvalidImport` where it cannot be read.
    """
    if file == "-":
        typed = StandardInput(sys.stdin.buffer)
        yield Source(lines=_lines(typed, "stdin", form or "jsonl"), beside=Path("stdin"))
        return
    path = Path(file)
    form = form or ("csv" if path.suffix.lower() == ".csv" else "jsonl")
    try:
        with path.open("rb") as stream:
            size = path.stat().st_size if path.is_file() else None
            lines = _lines(stream, file, form)
            yield Source(lines=lines, beside=path, size=size, position=_told_by(stream))
    except OSError as error:
        if error.filename != file:
            raise
        raise InvalidImport(
            f"{file} cannot be read: {error.strerror}", next_step="name a file, or - for stdin"
        ) from error


@contextmanager
def database(settings: Settings) -> Iterator[Source]:
    """The user's own database. Raises `InvalidImport` where the settings name none."""
    url, query = settings.legacy_database_url, settings.legacy_query
    if url is None or not query:
        raise InvalidImport(
            "RECONCILER_LEGACY_DATABASE_URL and RECONCILER_LEGACY_QUERY are not both set",
            next_step="set them, or name a file",
        )
    yield Source(lines=database_rows(url, query), beside=Path("database"))


def _lines(stream: Readable, source: str, form: str) -> Iterator[RawLine]:
    return csv_rows(stream, source) if form == "csv" else json_lines(stream)


def _told_by(stream: BinaryIO) -> Callable[[], int]:
    return stream.tell if stream.seekable() else lambda: 0
