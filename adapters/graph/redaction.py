"""Takes secrets out of text: of every error we return, and of what the HTTP libraries log.

A secret is the value of a parameter that carries one, a bearer header, or one of the exact secrets
this process has used. httpx logs whole URLs at INFO and httpcore headers at DEBUG (field case
R096), so the filter sits on their own loggers, whatever handlers come later.
"""

from __future__ import annotations

import logging
import re
from typing import Final
from urllib.parse import quote, quote_plus

REDACTED: Final = "[redacted]"
SECRET_PARAMETERS: Final = ("access_token", "appsecret_proof", "input_token", "client_secret")
LOGGERS: Final = (
    "httpx",
    "httpcore",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
)
"""A filter on a logger does not see its children's records, so each is named."""

HINTS: Final = (*SECRET_PARAMETERS, "bearer", "oauth")
"""Without one of these neither pattern can match, and most text has none: rows are full of it."""

SECRET_LENGTH_MIN: Final = 4
"""Shorter ones would blank out ordinary words; no token is that short."""

# In a query, a form, JSON, JSON inside a string, or a Python literal; `=` may be percent-encoded.
_PARAMETER: Final = re.compile(
    rf"({'|'.join(SECRET_PARAMETERS)})"
    r"""(\\*["']?\s*(?:=|:|,|%3D|%3A)\s*b?\\*["']?)"""
    r"""([^\s&"'\\,;<>(){}\[\]]+)""",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(r"\b(bearer|oauth)(\s+|%20|\+)([\w.|~+/%=-]{8,})", re.IGNORECASE)


class Redaction:
    """One per process: knows the secrets in use and removes them. Safe to call on any text."""

    def __init__(self) -> None:
        self._known: tuple[str, ...] = ()
        self._learnt: set[str] = set()

    def learn(self, secret: str) -> None:
        """From now on remove this one wherever it stands, also percent-encoded."""
        if len(secret) < SECRET_LENGTH_MIN or secret in self._learnt:
            return  # asked before every request: encoding it each time would cost 20 µs of each
        forms = {secret, quote(secret, safe=""), quote_plus(secret)}
        self._known = tuple(sorted({*self._known, *forms}, key=len, reverse=True))
        self._learnt.add(secret)

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._known:
            text = text.replace(secret, REDACTED)
        lowered = text.lower()
        if not any(hint in lowered for hint in HINTS):
            return text
        return _BEARER.sub(rf"\1\2{REDACTED}", _PARAMETER.sub(rf"\1\2{REDACTED}", text))

    def guard_logging(self) -> None:
        """Filter the HTTP libraries' loggers and the handlers the root logger has by now.

        May be called again: a filter of this redaction is added once.
        """
        wanted = RedactingFilter(self)
        for name in LOGGERS:
            _add_once(logging.getLogger(name), wanted)
        for handler in logging.getLogger().handlers:
            _add_once(handler, wanted)


class RedactingFilter(logging.Filter):
    """Rewrites a record before any handler sees it; lets every record pass."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self.redaction = redaction

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact message, traceback and stack."""
        record.msg, record.args = self.redaction(record.getMessage()), None
        if record.exc_info:
            self._redact_traceback(record)
        if record.stack_info:
            record.stack_info = self.redaction(record.stack_info)
        return True

    def _redact_traceback(self, record: logging.LogRecord) -> None:
        """Keep the exception itself only where nothing had to be removed: handlers print it."""
        exc_info = record.exc_info
        if isinstance(exc_info, tuple) and exc_info[0] is not None:
            text = logging.Formatter().formatException(exc_info)
            record.exc_text = self.redaction(text)
            record.exc_info = exc_info if record.exc_text == text else None


def _add_once(filterer: logging.Filterer, wanted: RedactingFilter) -> None:
    present = (each for each in filterer.filters if isinstance(each, RedactingFilter))
    if all(each.redaction is not wanted.redaction for each in present):
        filterer.addFilter(wanted)
