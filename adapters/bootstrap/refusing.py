"""Whether a reply is a refusal for certain, asked by a program that creates with its own client."""

from __future__ import annotations

import json


def is_refusal(status: int, body: object) -> bool:
    """Whether this reply to a create proves that the input was refused and nothing was made.

    By the table that our own creates are judged by; what it does not know is no proof. `body` is
    what came, as bytes, text or decoded JSON.
    """
    from reconciler.model import Outcome

    from ..graph.fault import read_fault
    from ..graph.outcome import line_of
    from ..graph.reply import Reply

    came = body if isinstance(body, bytes) else _text(body).encode("utf-8", "surrogatepass")
    return line_of(read_fault(Reply(status, body=came))).outcome is Outcome.REJECTED


def _text(body: object) -> str:
    return body if isinstance(body, str) else json.dumps(body)
