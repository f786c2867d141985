"""Log lines with fields: written by structlog, shown as text, or as JSON with one object a line.

Nothing of structlog's or logging's own configuration is touched: in an application of somebody
else's the lines go where its handlers send them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, MutableMapping
from datetime import UTC, datetime
from typing import Any, Final

import structlog

FIELDS: Final = "fields"
"""Under this name a record bears the line's fields beside its text."""


def logger_of(name: str) -> structlog.stdlib.BoundLogger:
    """A logger whose lines bear fields, and those that were bound around the work."""
    logger: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            _to_logging,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    return logger


def _to_logging(_: Any, __: str, line: MutableMapping[str, Any]) -> Any:
    """`claimed document=01K… attempt=1 epoch=3`, and the fields by themselves."""
    event = str(line.pop("event"))
    told = [event, *(f"{name}={value}" for name, value in line.items() if value is not None)]
    return (" ".join(told),), {"extra": {FIELDS: {"event": event, **line}}}


class JsonFormatter(logging.Formatter):
    """`{"at": …, "level": …, "logger": …, "event": …}` and the fields; of libraries' lines too."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The whole line, then redacted: nothing is added to it afterwards."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "at": at.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            **structlog.contextvars.get_contextvars(),
            **self._said(record),
        }
        return self._redact(json.dumps(line, default=str))

    def _said(self, record: logging.LogRecord) -> Mapping[str, Any]:
        fields: Mapping[str, Any] | None = getattr(record, FIELDS, None)
        said = dict(fields) if fields is not None else {"event": record.getMessage()}
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return said
