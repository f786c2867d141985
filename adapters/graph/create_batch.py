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
from reconciler.model import CallError, Kind, Outcome

from .answer import MESSAGE_LENGTH_MAX, answer_to_create
from .form import form_body
from .outcome import APP_WIDE, DEFAULT
from .paths import create_path
from .reply import NoReply, Reply
from .throttle import USAGE_HEADERS

BATCH_PATH: Final = ""
"""The root of the version, not of the account: facts 4B."""

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ChildAnswer:
    """What one child was answered. `headers` tell about its account, `back` is what it rests on."""

    answer: Answer
    headers: httpx.Headers
    back: Reply | NoReply


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
        return [ChildAnswer(answer_to_create(back, redact), httpx.Headers(), back)] * len(sent)
    entries = _entries(back, len(sent))
    if entries is None:
        return [_of_the_whole(back, len(sent), redact)] * len(sent)
    children = [_child(entry, back) for entry in entries]
    answers = [answer_to_create(child, redact) for child in children]
    if _names_one_twice(sent, answers):
        why = "the reply gives two creates of the batch one id"
        return [_of_nobody(back, why, redact)] * len(sent)
    headers = [_headers(entry, back) for entry in entries]
    return [ChildAnswer(*each) for each in zip(answers, headers, children, strict=True)]


def _entries(back: Reply, count: int) -> list[Any] | None:
    """One for each child; None where the reply is not whole."""
    content = back.json()
    if not 200 <= back.status < 300 or not isinstance(content, list) or len(content) != count:
        return None
    return content


def _child(entry: Any, back: Reply) -> Reply | NoReply:
    """A child's reply, as if it had been sent alone."""
    if entry is None:
        return NoReply(False, "the batch was not finished in time: no answer for this create")
    members = entry if isinstance(entry, dict) else {}
    status, body = members.get("code"), members.get("body")
    if not _is_status(status) or not isinstance(body, str):
        return NoReply(False, "the batch's answer for this create cannot be read")
    # Half of a surrogate pair becomes bytes that are no UTF-8, and so no JSON.
    return Reply(status, _headers(entry, back), body.encode("utf-8", "surrogatepass"))


def _headers(entry: Any, back: Reply) -> httpx.Headers:
    """Its own, and the outer reply's about usage, which count for every child."""
    own = _pairs(entry.get("headers")) if isinstance(entry, dict) else []
    return httpx.Headers([*_usage_of(back), *own])


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


def _usage_of(back: Reply) -> list[tuple[str, str]]:
    return [(name, value) for name, value in back.headers.multi_items() if name in USAGE_HEADERS]


def _of_the_whole(back: Reply, count: int, redact: Redact) -> ChildAnswer:
    """The table's line for what stands in place of the answers: a throttle, a lost token.

    What it says about the input is about the batch and closes no child's question.
    """
    answer = answer_to_create(back, redact)
    if answer.outcome is Outcome.CREATED or isinstance(back.json(), list):
        return _of_nobody(back, f"no list of {count} answers", redact)
    if answer.outcome is Outcome.REJECTED and answer.error is not None:
        error = replace(answer.error, row=DEFAULT.number)
        answer = replace(answer, outcome=Outcome.UNKNOWN, again=Again.BACKOFF, error=error)
    return ChildAnswer(answer, back.headers, back)


def _of_nobody(back: Reply, why: str, redact: Redact) -> ChildAnswer:
    """For every child: whose the answers are nobody knows, so nothing was told of any.

    But what they tell of the account holds whoever's they are: a throttle or a lost token that one
    of them shows closes it, and so does the usage in the headers of any.
    """
    content = back.json()
    entries = content if isinstance(content, list) else []
    shown = [answer_to_create(_child(entry, back), redact) for entry in entries]
    nothing = NoReply(False, why)
    doubt = _closed_by(shown, answer_to_create(nothing, redact))
    pairs = [pair for entry in entries for pair in _headers(entry, back).multi_items()]
    return ChildAnswer(doubt, httpx.Headers(pairs or _usage_of(back)), nothing)


def _closed_by(shown: Sequence[Answer], doubt: Answer) -> Answer:
    """The doubt, with what forbids to go on, the weightiest of it, and the longest wait."""
    closing = [answer for answer in shown if answer.again in (Again.ACCESS, Again.THROTTLED)]
    if not closing:
        return doubt
    worst = min(closing, key=_weight)
    wait = max((answer.wait for answer in closing if answer.wait), default=None)
    return replace(doubt, again=worst.again, error=_both(doubt, worst), wait=wait)


def _both(doubt: Answer, worst: Answer) -> CallError:
    assert doubt.error is not None, "a doubt has its reason"
    assert worst.error is not None, "only an error closes an account"
    message = f"{doubt.error.message}; an answer to one of them: {worst.error.message}"
    return replace(worst.error, message=message[:MESSAGE_LENGTH_MAX])


def _weight(answer: Answer) -> tuple[bool, bool]:
    """A limit of the app closes more than one of the account."""
    is_app_wide = answer.error is not None and answer.error.row in APP_WIDE
    return answer.again is not Again.ACCESS, not is_app_wide


def _names_one_twice(sent: Sequence[CreateRequest], answers: Sequence[Answer]) -> bool:
    """Creatives apart: two of the same content may be answered with one id (facts 4.9)."""
    made = [(a.external_id, s.kind) for a, s in zip(answers, sent, strict=True) if a.external_id]
    ids = Counter(external_id for external_id, _ in made)
    return any(ids[external_id] > 1 and kind is not Kind.ADCREATIVE for external_id, kind in made)
