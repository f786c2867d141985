"""Documents from elsewhere as JSON, one object a line."""

from __future__ import annotations

from collections.abc import Iterator

from reconciler.imported_lines import RawLine
from reconciler.plan_text import NotJson, read_json

from .byte_lines import TOO_LONG, ByteLine, Readable, byte_lines


def json_lines(stream: Readable) -> Iterator[RawLine]:
    """Every line that is not blank; one that is no JSON says why. Raises `InvalidImport`."""
    for line in byte_lines(stream):
        if not line.is_blank:
            yield _read(line)


def _read(line: ByteLine) -> RawLine:
    if not line.is_whole:
        return line.refused(*TOO_LONG)
    try:
        text = line.text()
        return RawLine(number=line.number, text=text, value=read_json(text))
    except UnicodeDecodeError as error:
        return line.refused(f"is not UTF-8 at byte {error.start}", "save the file as UTF-8")
    except NotJson as error:
        return line.refused(error.problem.replace("line 1, ", ""), error.instead)
