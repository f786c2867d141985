"""The standard streams, made usable whatever the caller did to them, and put to rest at the end."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from threading import Event
from typing import Final

_silenced: Final = Event()


def fill_closed() -> None:
    """Open the null device in place of each standard stream that came closed.

    A file opened later, the ledger say, must not get the number of stdout; and nothing that is
    meant for stderr may end in stdout, where Python's `print` sends what has no file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the lowest free number, which is this stream's own
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, mode))


def silence_stdout() -> None:
    """Write the rest of stdout nowhere: Python flushes once more at exit and would complain."""
    _silenced.set()
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_silenced() -> bool:
    """Whether nobody reads stdout any more."""
    return _silenced.is_set()


def flushed_stdout() -> None:
    """Flush what others left in stdout; what cannot be written was told already, or is a help page
    that nobody reads."""
    try:
        sys.stdout.flush()
    except OSError:
        silence_stdout()
