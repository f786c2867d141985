"""Several creates in one request: how they are written, and what the reply says about each.

A reply tells the children apart by their places alone. So it counts for them only while it is
whole: a list with one entry for each child (facts 4.12), naming no entity twice. Of anything else
nobody can say which child it is about, and every child is `unknown`. A `null` is a child that was
not finished in time and may have been made: its other meaning, a success that is left out, is
switched off (facts 4.13). Nothing here is ever sent again by itself (facts 4.14).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeGuard
from urllib.parse import urlencode

import httpx

from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.model import Kind, Outcome

from .answer import answer_to_create
from .form import form_body
from .outcome import DEFAULT
from .paths import create_path
from .reply import NoReply, Reply
from .throttle import USAGE_HEADERS

BATCH_PATH: Final = ""
"""The root of the version, not of the account: facts 4B."""

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ChildAnswer:
    """What one child was answered, and the headers that tell about its account."""

    answer: Answer
    headers: httpx.Headers


# --- writing ------------------------------------------------------------------------------------


def operation(request: CreateRequest) -> dict[str, Any]:
    """One child: the POST that it would be alone. Raises `Unsendable` as that one would."""
    return {
        "method": "POST",
        "relative_url": create_path(request.account_id, request.kind),
        "body": form_body(request.params, {}).decode("ascii"),
        "omit_response_on_success": False,
    }


def batch_body(operations: Sequence[Mapping[str, Any]], extra: Mapping[str, str]) -> bytes:
    """The form of the whole. The children's own headers are asked for: they tell usage (3.7)."""
    batch = json.dumps(operations, separators=(",", ":"))
    return urlencode({"batch": batch, "include_headers": "true", **extra}).encode("ascii")


# --- reading ------------------------------------------------------------------------------------


def answers_to_batch(
    back: Reply | NoReply, sent: Sequence[CreateRequest], redact: Redact
) -> list[ChildAnswer]:
    """One for each child, in the order in which they were sent."""
    if isinstance(back, NoReply):
        return [ChildAnswer(answer_to_create(back, redact), httpx.Headers())] * len(sent)
    children = _children(back, len(sent))
    if children is None:
        return [ChildAnswer(_of_the_whole(back, len(sent), redact), back.headers)] * len(sent)
    answers = [answer_to_create(child, redact) for child in children]
    if _names_one_twice(sent, answers):
        doubt = NoReply(False, "the reply gives two creates of the batch one id")
        answers = [answer_to_create(doubt, redact)] * len(sent)
    return [
        ChildAnswer(answer, child.headers if isinstance(child, Reply) else _usage_of(back))
        for answer, child in zip(answers, children, strict=True)
    ]


def _children(back: Reply, count: int) -> list[Reply | NoReply] | None:
    """Each child's reply, as if it had been sent alone; None where the reply is not whole."""
    content = back.json()
    if not 200 <= back.status < 300 or not isinstance(content, list) or len(content) != count:
        return None
    return [_child(entry, back) for entry in content]


def _child(entry: Any, back: Reply) -> Reply | NoReply:
    if entry is None:
        return NoReply(False, "the batch was not finished in time: no answer for this create")
    members = entry if isinstance(entry, dict) else {}
    status, body = members.get("code"), members.get("body")
    if not _is_status(status) or not isinstance(body, str):
        return NoReply(False, "the batch's answer for this create cannot be read")
    headers = httpx.Headers([*_usage_of(back).multi_items(), *_pairs(members.get("headers"))])
    # Half of a surrogate pair becomes bytes that are no UTF-8, and so no JSON.
    return Reply(status, headers, body.encode("utf-8", "surrogatepass"))


def _is_status(code: Any) -> TypeGuard[int]:
    return type(code) is int and 100 <= code <= 599


def _pairs(headers: Any) -> list[tuple[str, str]]:
    """A list of names and values (facts 4.12); what is of another form tells nothing."""
    return [
        (entry["name"], entry["value"])
        for entry in (headers if isinstance(headers, list) else ())
        if isinstance(entry, dict)
        and _is_plain(entry.get("name"))
        and _is_plain(entry.get("value"))
    ]


def _is_plain(text: Any) -> bool:
    return isinstance(text, str) and text.isascii()


def _usage_of(back: Reply) -> httpx.Headers:
    """The outer reply's: they count for every child, whatever its own say."""
    names = [(name, value) for name, value in back.headers.multi_items() if name in USAGE_HEADERS]
    return httpx.Headers(names)


def _of_the_whole(back: Reply, count: int, redact: Redact) -> Answer:
    """The table's line for what stands in place of the answers: a throttle, a lost token.

    What it says about the input is about the batch and closes no child's question.
    """
    answer = answer_to_create(back, redact)
    if answer.outcome is Outcome.CREATED or isinstance(back.json(), list):
        return answer_to_create(NoReply(False, f"no list of {count} answers"), redact)
    if answer.outcome is Outcome.REJECTED and answer.error is not None:
        error = replace(answer.error, row=DEFAULT.number)
        return replace(answer, outcome=Outcome.UNKNOWN, again=Again.BACKOFF, error=error)
    return answer


def _names_one_twice(sent: Sequence[CreateRequest], answers: Sequence[Answer]) -> bool:
    """Creatives apart: two of the same content may be answered with one id (facts 4.9)."""
    made = [(a.external_id, s.kind) for a, s in zip(answers, sent, strict=True) if a.external_id]
    ids = Counter(external_id for external_id, _ in made)
    return any(ids[external_id] > 1 and kind is not Kind.ADCREATIVE for external_id, kind in made)
