"""Standard input that Ctrl-C ends also while nothing comes.

A signal that an event loop handles is heard only once the blocking read returns, which for a
terminal or a quiet pipe is never. While a line is waited for nothing else is under way, so that the
signals may do then what they do by default.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

_BY_DEFAULT: Final[dict[signal.Signals, Any]] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}


class StandardInput:
    """As much of a binary stream as lines are read from."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self, limit: int = -1, /) -> bytes:
        """The next line, empty at the end. Raises `KeyboardInterrupt` where one is stopped."""
        with _signals_by_default():
            return self._stream.readline(limit)


@contextmanager
def _signals_by_default() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[signal.Signals, Any] = {
        which: signal.signal(which, how) for which, how in _BY_DEFAULT.items()
    }
    try:
        yield
    finally:
        for which, how in before.items():
            signal.signal(which, how)
