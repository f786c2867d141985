"""Data to stdout, everything else to stderr; names from outside shown, never obeyed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TextIO

from rich.console import Console, RenderableType

from reconciler.errors import ReconcilerError
from reconciler.visible import visible

from .streams import silence_stdout

PIPE_WIDTH: Final = 200
"""Columns where nobody looks: wide enough that no line of a table is folded."""

__all__ = [
    "PIPE_WIDTH",
    "OutputLost",
    "console_for",
    "print_human",
    "print_json",
    "say",
    "visible",
    "write_data",
]


class OutputLost(ReconcilerError):
    """What a command had to say could not be written; what it did is done and on record."""

    code = "unexpected"


def print_json(shape: dict[str, Any]) -> None:
    """One JSON document, ASCII only: no terminal's encoding can spoil it."""
    _to_stdout(lambda: print(json.dumps(shape, indent=2), flush=True))  # noqa: T201 - the output


def print_human(picture: RenderableType) -> None:
    """For people. Colour only on a terminal and without NO_COLOR."""
    _to_stdout(lambda: print(_drawn(picture), flush=True))  # noqa: T201 - the output


def write_data(text: str) -> None:
    """Data of a command that writes as it reads, in UTF-8 whatever the terminal speaks."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", newline="")
    _to_stdout(lambda: sys.stdout.write(text))


def _drawn(picture: RenderableType) -> str:
    console = console_for(sys.stdout)
    with console.capture() as drawn:  # touches stdout itself, with nothing to write
        console.print(picture, crop=False)  # a command to copy may be wider than the screen
    return "\n".join(line.rstrip() for line in drawn.get().splitlines())


def say(text: str) -> None:
    """A line of progress or of an error, on stderr."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)  # noqa: T201 - the output


def console_for(stream: TextIO) -> Console:
    """No markup, no emoji codes, no guessing of numbers: what is printed is what was given."""
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def _to_stdout(write: Callable[[], object]) -> None:
    """Write; a reader who has seen enough (`| head`) is no error. Raises `OutputLost`."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        raise OutputLost(
            f"what is to be told cannot be written to stdout: {error.strerror}",
            next_step="see that its disk has room, then reconciler list",
        ) from error
