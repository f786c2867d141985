"""Sorts a request for the figures: what it asked, and what came of it. Nothing is decided by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from reconciler.call_outcome import Again

from .fault import read_fault
from .outcome import line_of
from .reply import NoReply, Reply

Ended = Callable[[str], None]
"""Is told the class of each request as it ends. No account, no secret."""

SHORT: Final = 4_096
"""Bytes. A longer body of a 2xx is taken for an answer; an error envelope has a tenth of it."""


class RequestKind(StrEnum):
    """What it asked. Each create in a batch is one, for so the API counts it (facts 3.11)."""

    CREATE = "create"
    BATCH = "batch"  # the request around the creates, which counts for nothing by itself
    READ = "read"
    TRIAL = "trial"  # what the doctor makes and takes away


def class_of(kind: RequestKind, back: Reply | NoReply) -> str:
    """Such as `create_answered`, `read_throttled`."""
    return f"{kind}_{_result_of(back)}"


def _result_of(back: Reply | NoReply) -> str:
    if isinstance(back, NoReply):
        return "not_sent" if back.never_left else "no_reply"
    if 200 <= back.status < 300 and (len(back.body) > SHORT or _is_an_answer(back)):
        return "answered"
    return _RESULTS[line_of(read_fault(back)).again]


def _is_an_answer(reply: Reply) -> bool:
    """An error may hide in a 200 (facts 2.8), and so may no JSON at all (facts 2.7)."""
    content = reply.json()
    return isinstance(content, list) or (isinstance(content, dict) and "error" not in content)


_RESULTS: Final[Mapping[Again, str]] = {
    Again.NEVER: "rejected",
    Again.BACKOFF: "trouble",
    Again.THROTTLED: "throttled",
    Again.ACCESS: "access",
}
