"""Splits a file into numbered lines, each of bounded length, and says which of them are no text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from reconciler.errors import InvalidImport
from reconciler.imported_lines import RawLine

LINE_BYTES_MAX: Final = 4 * 1024 * 1024
"""A thousand names and ids take a tenth of it; more is a wrong file."""

SHOWN_BYTES_MAX: Final = 1_000
_PIECE_BYTES: Final = 64 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_WIDE_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")

TOO_LONG: Final = (
    f"is longer than {LINE_BYTES_MAX:,} bytes",
    "see that every document has a line of its own, or leave it out",
)


@dataclass(frozen=True, slots=True)
class ByteLine:
    """One line with its end. `is_whole` False: it is too long, and only its beginning is here."""

    number: int
    content: bytes
    is_whole: bool = True

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in it."""
        return self.is_whole and not self.content.strip()

    def text(self) -> str:
        """What stands in it. Raises `UnicodeDecodeError`."""
        return self.content.decode("utf-8").rstrip("\r\n")

    def refused(self, problem: str, instead: str) -> RawLine:
        """The line as one that could not be read."""
        kept = self.content if self.is_whole else self.content[:SHOWN_BYTES_MAX]
        text = kept.decode("utf-8", "replace").rstrip("\r\n")
        return RawLine(number=self.number, text=text, fault=(problem, instead))


class Readable(Protocol):
    """As much of a binary stream as lines are read from."""

    def readline(self, limit: int = -1, /) -> bytes:
        """The next line, at most this long; empty at the end."""


def byte_lines(stream: Readable) -> Iterator[ByteLine]:
    """Every line, numbered from 1; a byte order mark is passed over.

    Raises `InvalidImport` for a text of another encoding, before anything is read of it.
    """
    number = 0
    while content := stream.readline(LINE_BYTES_MAX + 1):
        number += 1
        if number == 1:
            content = _without_mark(content)
        is_whole = len(content) <= LINE_BYTES_MAX or content.endswith(b"\n")
        if not is_whole:
            _skip_rest(stream)
        yield ByteLine(number, content, is_whole)


def _without_mark(content: bytes) -> bytes:
    if content.startswith(_WIDE_BOMS):
        raise InvalidImport("the file is UTF-16, not UTF-8", next_step="save it as UTF-8")
    return content.removeprefix(_BOM)


def _skip_rest(stream: Readable) -> None:
    while piece := stream.readline(_PIECE_BYTES):
        if piece.endswith(b"\n"):
            return
