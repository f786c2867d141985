"""A file of decisions, JSON lines or CSV, read line by line; a bad line is refused by itself."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from reconciler.errors import DecisionRefused
from reconciler.resolve_decision import Choice, Decision, refuse_malformed

FIELDS: Final = (
    "document_id",
    "item",
    "decision",
    "external_id",
    "also",
    "override",
    "reason",
    "evidence",
)
"""The keys of a line, or the columns. `decision` is adopt, none or hold; in CSV `also` holds ids
with a space between, and `override` is true or empty."""

ALSO_IN_CSV: Final = (
    "also in CSV holds external ids with a space between, as 1203 1204; nothing where there is none"
)
NO_PART_OF_AN_ID: Final = frozenset("[]{}(),;'\"")
"""Of a list as other formats have it."""

LINE_LENGTH_MAX: Final = 64 * 1024
"""Characters; a longer one is no decision."""

NO_UTF8: Final = "is no UTF-8; save the file as UTF-8 and give it again"
_NO_UTF8: Final = re.compile("[\udc80-\udcff]")
"""Bytes that were kept apart."""

_TRUTH: Final = {"": False, "false": False, "no": False, "0": False,
                 "true": True, "yes": True, "1": True}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One decision and the number of its line, from 1."""

    line: int
    document_id: str
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A line that is no decision, and why."""

    line: int
    problem: str


def decisions_of(file: str, *, by: str) -> Iterator[Read | Malformed]:
    """Every line of a file, or of stdin for `-`; CSV by its ending or its first character.

    Raises `DecisionRefused` where the file cannot be read at all.
    """
    try:
        stream = _stdin() if file == "-" else _opened(Path(file))
    except OSError as error:
        raise DecisionRefused(
            f"{file} cannot be read: {error.strerror}",
            next_step="reconciler resolve --file FILE, with the path of one that can be read, or - "
            "for stdin",
        ) from error
    with stream:
        rows = _csv_rows(stream) if file.lower().endswith(".csv") else _json_rows(stream)
        for line, given in rows:
            yield _read(line, given, by)


def _opened(file: Path) -> TextIO:
    """What is no UTF-8 is kept apart, in surrogates: it spoils its own line and no other."""
    return file.open(encoding="utf-8-sig", errors="surrogateescape", newline="")


def _stdin() -> TextIO:
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8-sig", errors="surrogateescape")
    return sys.stdin


def _json_rows(stream: TextIO) -> Iterator[tuple[int, Any]]:
    for line, text in enumerate(_lines(stream), start=1):
        if text.strip():
            yield line, _decoded(text)


def _lines(stream: TextIO) -> Iterator[str]:
    """Bounded: what has no end of line is cut, and then refused as no JSON."""
    while text := stream.readline(LINE_LENGTH_MAX):
        yield text


def _decoded(text: str) -> Any:
    if _NO_UTF8.search(text):
        return NO_UTF8
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"is not JSON: {error}"


def _csv_rows(stream: TextIO) -> Iterator[tuple[int, Any]]:
    reader = csv.DictReader(io.StringIO(stream.read()), restkey="more", restval="")
    try:
        for row in reader:
            is_spoilt = any(_NO_UTF8.search(str(value)) for value in row.values())
            given = {key: value for key, value in row.items() if value != ""}
            yield reader.line_num, NO_UTF8 if is_spoilt else given
    except csv.Error as error:
        yield reader.line_num, f"is not CSV: {error}"


def _read(line: int, given: Any, by: str) -> Read | Malformed:
    try:
        return _decision(line, given, by)
    except (_NoDecision, DecisionRefused) as error:
        return Malformed(line=line, problem=str(error))


class _NoDecision(Exception):
    """Why a line cannot be understood."""


def _decision(line: int, given: Any, by: str) -> Read:
    if not isinstance(given, Mapping):
        raise _NoDecision(given if isinstance(given, str) else "is no JSON object")
    if unknown := sorted(str(key) for key in given.keys() - set(FIELDS)):
        raise _NoDecision(f"has unknown fields: {', '.join(unknown)}; known: {', '.join(FIELDS)}")
    decision = Decision(
        item=_text(given, "item"),
        choice=_choice(given),
        reason=_text(given, "reason"),
        by=by,
        external_id=_text(given, "external_id", optional=True) or None,
        also=_also(given.get("also")),
        override=_truth(given.get("override", "")),
        evidence_hash=_text(given, "evidence", optional=True) or None,
    )
    refuse_malformed(decision)
    return Read(line=line, document_id=_text(given, "document_id"), decision=decision)


def _text(given: Mapping[str, Any], name: str, *, optional: bool = False) -> str:
    value = given.get(name)
    if value is None and optional:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not (value or optional):
        raise _NoDecision(f"{name} is missing or no text")
    return value


def _choice(given: Mapping[str, Any]) -> Choice:
    try:
        return Choice(_text(given, "decision"))
    except ValueError:
        words = ", ".join(choice.value for choice in Choice)
        raise _NoDecision(f"decision must be one of {words}") from None


def _also(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str) and not NO_PART_OF_AN_ID.isdisjoint(value):
        raise _NoDecision(ALSO_IN_CSV)
    ids = value.split() if isinstance(value, str) else value
    if not isinstance(ids, list) or not all(isinstance(one, (str, int)) for one in ids):
        raise _NoDecision(
            'also must be a list of external ids, as ["1203"]; [] where there is none'
        )
    return tuple(str(one) for one in ids)


def _truth(value: Any) -> bool:
    known = _TRUTH.get(str(value).lower())
    if known is None:
        raise _NoDecision("override must be true or false")
    return known
