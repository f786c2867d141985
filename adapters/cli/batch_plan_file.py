"""A plan on disk: JSON lines, the head first, with a hash over all of it.

The head counts what follows, so it is written last: the file appears whole under its
name, or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from reconciler.batch_head import SCHEMA, head_json, head_of
from reconciler.batch_line import PlanLines, PlanReading
from reconciler.batch_values import Head, Planned
from reconciler.canonical_json import digest
from reconciler.errors import PlanRefused

from .whole_file import FileLost, lost, target_of

CHUNK: Final = 1 << 20
HEAD_MAX: Final = 64 << 20
"""Bytes: an account is a hundred of them."""

_PLAN_AGAIN: Final = "plan again: reconciler batch plan -o PLAN"
_UNREADABLE: Final = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError)


class PlanWriter:
    """Takes the lines as they are judged; `finish` makes the file of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._target = target_of(path)
        self._lines = self._target.with_name(f"{self._target.name}.{os.getpid()}.unfinished")
        self._stream: IO[bytes] = self._opened(self._lines)
        self._hash = hashlib.sha256()
        self._spelling = PlanLines()

    def write(self, planned: Planned) -> None:
        """One document."""
        for told in self._spelling.of(planned):
            self._write(told)

    def end(self, group: int) -> None:
        """No document of this group follows."""
        for told in self._spelling.end(group):
            self._write(told)

    def _write(self, told: dict[str, Any]) -> None:
        line = json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n"
        self._hash.update(line)
        try:
            self._stream.write(line)
        except OSError as error:
            raise lost(self._path, error) from error

    def finish(self, head: Head) -> None:
        """The head in front of the lines; on disk when this returns."""
        told = head_json(head)
        told["hash"] = _sealed(told, self._hash.hexdigest())
        whole = self._lines.with_suffix(".whole")
        try:
            self._stream.close()
            with whole.open("wb") as stream, self._lines.open("rb") as lines:
                stream.write(json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n")
                shutil.copyfileobj(lines, stream, CHUNK)
                stream.flush()
                os.fsync(stream.fileno())
            whole.replace(self._target)
        except OSError as error:
            raise lost(self._path, error) from error
        finally:
            self.drop()
            whole.unlink(missing_ok=True)

    def drop(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):
            self._stream.close()
            self._lines.unlink(missing_ok=True)

    def _opened(self, path: Path) -> IO[bytes]:
        try:
            return path.open("wb")
        except OSError as error:
            raise lost(self._path, error) from error


@contextmanager
def opened(path: Path) -> Iterator[tuple[Head, Iterator[Planned]]]:
    """The head and the lines of a plan, once nothing of it was found altered. Raises
    `PlanRefused`."""
    try:
        stream = path.open("rb")
    except OSError as error:
        raise PlanRefused(
            f"{path} cannot be read: {error.strerror}", next_step=_PLAN_AGAIN
        ) from error
    with stream:
        head = _head(path, stream)
        yield head, _lines(path, stream)


def _head(path: Path, stream: IO[bytes]) -> Head:
    try:
        told: dict[str, Any] = json.loads(stream.readline(HEAD_MAX))
        if told["schema"] != SCHEMA:
            raise PlanRefused(f"{path} is no {SCHEMA}", next_step=_PLAN_AGAIN)
        said = told.pop("hash")
        head = head_of(told)
    except _UNREADABLE as error:
        raise PlanRefused(f"{path} is no plan of ours", next_step=_PLAN_AGAIN) from error
    begin, found = stream.tell(), hashlib.sha256()
    while chunk := stream.read(CHUNK):
        found.update(chunk)
    if _sealed(told, found.hexdigest()) != said:
        raise PlanRefused(f"{path} was altered or cut off since it was made", next_step=_PLAN_AGAIN)
    stream.seek(begin)
    return head


def _lines(path: Path, stream: IO[bytes]) -> Iterator[Planned]:
    reading = PlanReading()
    for line in stream:
        try:
            planned = reading.of(json.loads(line))
        except _UNREADABLE as error:
            # Some of it may be carried out by now, so this is no refusal.
            raise FileLost(
                f"{path} was altered while it was read; what was applied before is done",
                next_step=_PLAN_AGAIN,
            ) from error
        if planned is not None:
            yield planned


def _sealed(head: dict[str, Any], lines: str) -> str:
    return digest({"head": head, "lines": lines})
