"""Logs to stderr, every line of them passed through the redaction that it is given."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

LEVELS: Final = {-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO, 2: logging.DEBUG}
"""By how often -v was said; --quiet counts as minus one."""

CHATTY: Final = ("httpx", "httpcore", "asyncio", "sqlalchemy.engine", "alembic")
"""Libraries that log a line for every request or statement: silent until -vv."""


TOLD_BY_US: Final = ("procrastinate", "psycopg.pool")
"""What goes wrong there a worker tells in its own lines: silent until -vv."""


def log_to_stderr(verbosity: int, redact: Callable[[str], str], *, as_json: bool = False) -> None:
    """Send every log record of the process to stderr, and nowhere else.

    `redact` sees the line as it would be written, tracebacks included: a secret may arrive in an
    argument, an exception's text or a library's own message (field case R096). `as_json`: an object
    a line, in place of text.
    """
    level = LEVELS[max(-1, min(verbosity, 2))]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_json_lines(redact) if as_json else RedactingFormatter(redact))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(level if verbosity > 1 else logging.ERROR)
    for name in TOLD_BY_US:
        logging.getLogger(name).setLevel(level if verbosity > 1 else logging.CRITICAL)


def _json_lines(redact: Callable[[str], str]) -> logging.Formatter:
    from .observing.json_lines import JsonFormatter

    return JsonFormatter(redact)


class RedactingFormatter(logging.Formatter):
    """`2026-11-29T12:05:12.345Z WARNING logger: message`, in UTC, without secrets."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redact = redact

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 - logging's name
        """The time of the record in UTC, to the millisecond."""
        at = datetime.fromtimestamp(record.created, UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def format(self, record: logging.LogRecord) -> str:
        """The whole line, then redacted: nothing is added to it afterwards."""
        return self._redact(super().format(record))
