"""The refused lines in a file beside the input, so that they can be mended and imported again."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from reconciler.imported_lines import Refused

ENDING: Final = ".refused.jsonl"


class RefusedFile:
    """`FILE.refused.jsonl`: a line for each fault, with number, field, reason, and the line itself.

    It is made when the first line is refused; what an earlier run left there goes at the start.
    Where it cannot be written, `trouble` says why and the import goes on.
    """

    def __init__(self, beside: Path) -> None:
        self.path = beside.with_name(beside.name + ENDING)
        self.trouble: str | None = None
        self._stream: TextIO | None = None
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    @property
    def is_there(self) -> bool:
        """Whether anything was refused, and could be written."""
        return self._stream is not None and self.trouble is None

    def add(self, refused: Refused) -> None:
        """One more fault."""
        if self.trouble is not None:
            return
        try:
            if self._stream is None:
                self._stream = self.path.open("w", encoding="ascii")
            self._stream.write(json.dumps(_told(refused)) + "\n")
            self._stream.flush()
        except OSError as error:
            self.trouble = f"{self.path} cannot be written: {error.strerror}"

    def close(self) -> None:
        """Nothing is added any more."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()


def _told(refused: Refused) -> dict[str, object]:
    return {
        "line": refused.line,
        "document_id": refused.document_id,
        "field": refused.field,
        "reason": refused.reason,
        "text": refused.text,
    }
