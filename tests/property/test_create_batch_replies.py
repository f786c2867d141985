"""Whatever a batch is answered: a typed outcome a child, and an id only where its place is sure."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from typing import Any

import httpx
from hypothesis import event, example, given
from hypothesis import strategies as st
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.redaction import Redaction
from adapters.graph.tokens import Tokens
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.model import Kind, Outcome

REDACTION = Redaction()
"""One for all examples: each would leave its filter on the loggers."""

KINDS = st.lists(st.sampled_from([Kind.AD, Kind.ADCREATIVE, Kind.CAMPAIGN]), min_size=2, max_size=5)
IDS = st.sampled_from(["901", "902", "903", "0", "", "x"]) | st.integers(900, 905)

SCALARS = st.sampled_from([None, True, False, 0, 7, -1, 200, 1.5, "", "x", "901"])
JSON = (
    SCALARS
    | st.lists(SCALARS, max_size=2)
    | st.dictionaries(
        st.sampled_from(["code", "headers", "body", "id", "error"]), SCALARS, max_size=3
    )
)
ERRORS = st.builds(
    lambda code, subcode: {"error": {"code": code, "error_subcode": subcode}},
    st.sampled_from([1, 2, 17, 100, 190, 368, 613, 960, 80004, -3, "100", None, 31337]),
    st.sampled_from([None, 33, 99, 1885272, 1487390, 2446079, "odd"]),
)
CONTENTS = st.one_of(IDS.map(lambda id_: {"id": id_}), ERRORS, JSON)
BODIES = st.one_of(
    CONTENTS.map(json.dumps),
    st.sampled_from(["", "null", "<html>", '{"id":"901"', '{"id":"901","x":"\ud800"}']),
    st.text(max_size=10),
    JSON,
)
HEADERS: st.SearchStrategy[Any] = st.one_of(
    st.just([]),
    JSON,
    st.lists(
        st.fixed_dictionaries(
            {
                "name": st.sampled_from(["x-app-usage", "X-Business-Use-Case-Usage", "date"]),
                "value": JSON.map(json.dumps) | JSON,
            }
        ),
        max_size=2,
    ),
)
STATUSES = st.sampled_from([200, 200, 200, 201, 302, 400, 403, 500, "200", None, True, 10**30])
CLEAR = st.builds(
    lambda id_: {"code": 200, "headers": [], "body": json.dumps({"id": id_})},
    st.integers(900, 999).map(str),
)
ODD = st.fixed_dictionaries(
    {"code": STATUSES, "body": BODIES}, optional={"headers": HEADERS, "name": JSON}
)
ENTRIES = st.one_of(CLEAR, CLEAR, CLEAR, CLEAR, ODD, st.none(), JSON)


@st.composite
def replies(draw: st.DrawFn) -> tuple[list[Kind], int, bytes]:
    """The kinds that are asked for, and the outer status and body that come back."""
    kinds = draw(KINDS)
    gap = draw(st.sampled_from([0] * 8 + [-1, 1]))
    size = len(kinds) + gap
    content = draw(st.lists(ENTRIES, min_size=size, max_size=size))
    if draw(st.integers(0, 7)) == 7:
        content = draw(CONTENTS)
    status = draw(st.sampled_from([200] * 8 + [400, 429, 500, 302]))
    return kinds, status, json.dumps(content).encode()


def created(answers: list[Answer]) -> dict[int, str]:
    """Ids by place."""
    return {place: a.external_id for place, a in enumerate(answers) if a.external_id is not None}


def sure(kinds: list[Kind], status: int, body: bytes) -> dict[int, str]:
    """What may be taken for made, by place; said once more, and otherwise than the client does."""
    try:
        content = read(body)
    except ValueError:
        return {}
    if status != 200 or not isinstance(content, list) or len(content) != len(kinds):
        return {}
    ids = {place: _sure_id(entry) for place, entry in enumerate(content)}
    known = {place: id_ for place, id_ in ids.items() if id_}
    shared = Counter(known.values())
    if any(shared[id_] > 1 and kinds[place] is not Kind.ADCREATIVE for place, id_ in known.items()):
        return {}
    return known


def read(text: bytes | str) -> Any:
    """JSON, or a `ValueError`: infinity is none."""
    return json.loads(text, strict=False, parse_constant=int)


def _sure_id(entry: Any) -> str | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("body"), str):
        return None
    if entry.get("code") not in (200, 201) or isinstance(entry["code"], (bool, float)):
        return None
    try:
        entry["body"].encode()  # half of a surrogate pair is no text
        content = read(entry["body"])
    except ValueError:
        return None
    if not isinstance(content, dict) or content.get("error") or content.get("success") is False:
        return None
    id_ = content.get("id")
    text = str(id_) if isinstance(id_, (int, str)) and not isinstance(id_, bool) else ""
    return text if text.isascii() and text.isdecimal() and int(text) > 0 else None


async def asked(kinds: list[Kind], status: int, body: bytes) -> tuple[list[Answer], int]:
    """The answers, and how often the API was asked."""
    count = 0

    def handler(_: httpx.Request) -> httpx.Response:
        nonlocal count
        count += 1
        return httpx.Response(status, content=body)

    graph = GraphClient(
        tokens=Tokens(default=SecretStr("OURTOKEN999")),
        url="https://graph.test",
        transport=httpx.MockTransport(handler),
        redaction=REDACTION,
    )
    requests = [CreateRequest(account_id="act_1001", kind=kind, params={}) for kind in kinds]
    answers = await graph.create_many(requests, within=timedelta(seconds=5))
    await graph.aclose()
    return list(answers), count


@given(reply=replies())
@example(([Kind.AD, Kind.AD], 200, b'[{"code":200,"body":"{\\"id\\":\\"901\\"}"}]'))
@example(([Kind.AD, Kind.AD], 200, b'[{"code":200,"body":"{\\"id\\":\\"901\\"}"},Infinity]'))
async def test_a_child_is_made_only_where_its_place_is_sure(
    reply: tuple[list[Kind], int, bytes],
) -> None:
    """R004. One outcome for each child, typed, whatever came; nothing is sent twice."""
    kinds, status, body = reply

    answers, count = await asked(kinds, status, body)

    assert len(answers) == len(kinds)
    assert all(isinstance(answer, Answer) for answer in answers)
    assert count == 1
    event(f"made: {len(created(answers))} of {len(kinds)}")
    assert created(answers) == sure(kinds, status, body)
    assert_none_is_closed_by_what_is_not_its_own(answers, json.loads(body), status)


def assert_none_is_closed_by_what_is_not_its_own(
    answers: list[Answer], content: Any, status: int
) -> None:
    """A rejection closes the question as much as an id does: it needs an error in that place."""
    for place, answer in enumerate(answers):
        event(f"{answer.outcome}")
        assert answer.outcome is not Outcome.NOT_SENT
        if answer.outcome is Outcome.REJECTED:
            assert (status, len(content)) == (200, len(answers))
            assert "error" in json.loads(content[place]["body"])
