"""Odd rows: whichever reader takes a page, the walk says the same of it, and loses no row of it.

A page is walked as it came, and once more with U+0000 beside its rows, which the fast reader leaves
to the loose one (R051). Bodies are written by hand, so that keys come twice, numbers have thousands
of digits, and text is escaped or not.
"""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from adapters.graph.wire import NotAPage, read_page
from reconciler.listing import Keep, Listing, Row, Shown, Walk
from reconciler.model import Reason
from tests.integration.fake_listing import ADS, at_t0, everything, no_sleep

NUL = "\\u0000"

# --- bodies as text -------------------------------------------------------------------------------

SCRIPTS = [
    "Ümlaut",
    "日本語",
    "العربية",
    "हिन्दी",
    "👩‍👩‍👧",
    "e\u0301",
    "\u202eabc",
    "\ufeff",
    "a\tb",
    'q"\\/',
    "\x7f",
]
strings = st.one_of(
    st.sampled_from(SCRIPTS),
    st.text(max_size=6),
    st.sampled_from(["\x00", "a\x00b", "\ud83d", "\ude00x", "\ud83d\ude00"]),
)


@st.composite
def quoted(draw: st.DrawFn, text: st.SearchStrategy[str] = strings) -> str:
    """A string of JSON. Only an escape can carry a lone surrogate."""
    drawn = draw(text)
    escaped = json.dumps(drawn)
    if draw(st.booleans()) or not _is_utf8(drawn):
        return escaped
    return json.dumps(drawn, ensure_ascii=False)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


digits = st.one_of(
    st.integers(1, 40),
    st.sampled_from([2**53, 2**53 + 1, 2**63, 2**64 + 1, 10**31]),
    st.integers(10**17, 10**18),
).map(str)
good_ids = digits | digits.map(lambda number: f'"{number}"')
numbers = st.one_of(
    st.sampled_from(["0", "-0", "1.5", "1e999", "-1E-400", "9" * 700, "9" * 5_000, "0.1e+1"]),
    st.integers().map(str),
)
plain = st.one_of(st.sampled_from(["null", "true", "false", "[]", "{}"]), numbers, quoted())
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2).map(lambda each: f"[{','.join(each)}]"),
        st.tuples(quoted(), inner).map(lambda pair: f"{{{pair[0]}:{pair[1]}}}"),
    ),
    max_leaves=4,
)
nested = st.sampled_from([5, 62, 63, 64, 65, 66, 300]).map(lambda depth: "[" * depth + "]" * depth)
labels = st.one_of(
    st.sampled_from(["null", "[]", "[null]", '[7,"x",[],{}]', '[{"id":1}]']),
    st.lists(quoted().map(lambda name: f'{{"id":"7","name":{name}}}'), max_size=3).map(
        lambda each: f"[{','.join(each)}]"
    ),
)
TEXT_FIELDS = ("name", "status", "effective_status", "created_time")
ID_FIELDS = ("account_id", "campaign_id", "adset_id", "source_ad_id", "source_campaign_id")
members = st.one_of(
    st.tuples(st.sampled_from(TEXT_FIELDS), quoted() | values),
    st.tuples(st.sampled_from(ID_FIELDS), good_ids | values),
    st.tuples(st.just("adlabels"), labels),
    st.tuples(st.sampled_from(["targeting", "zz", ""]), values | nested),
)


@st.composite
def good_rows(draw: st.DrawFn) -> str:
    """A row that can be counted: somewhere in it an id. Any key may come twice."""
    drawn = draw(st.lists(members, max_size=6))
    drawn.insert(draw(st.integers(0, len(drawn))), ("id", draw(good_ids)))
    return written(drawn)


def written(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{json.dumps(key)}:{value}" for key, value in pairs) + "}"


bad_rows = st.one_of(
    values,
    st.sampled_from(
        ['{"id":""}', '{"id":"x1"}', '{"id":1.0}', '{"id":"0"}', '{"id":"1","id":null}']
    ),
    st.sampled_from(["{}", "null", '{"id":true}', '{"id":"1","adlabels":{"data":[]}}']),
    st.just('{"id":' + "9" * 5_000 + "}"),
)

# --- walking them ---------------------------------------------------------------------------------


def body(rows: list[str], note: str = "") -> bytes:
    return f'{{"data":[{",".join(rows)}],"note":"{note}"}}'.encode()


async def walked(content: bytes, keep: Keep = everything) -> Walk:
    client = GraphClient(
        tokens=Tokens(default=SecretStr("fake-token")),
        url="http://graph.test",
        transport=httpx.MockTransport(lambda _: httpx.Response(200, content=content)),
        sleep=no_sleep,
    )
    try:
        return await client.walk(ADS, keep, at_t0)
    finally:
        await client.aclose()


def told(walk: Walk) -> Any:
    """What a verdict can rest on."""
    return (walk.rows, walk.row_count, walk.saw_an_id_twice) if isinstance(walk, Listing) else None


def shown(row: Shown) -> tuple[str, str | None, bool]:
    """What narrowing asks of a row."""
    return row.id, row.name, row.bears(frozenset(SCRIPTS))


def noting(seen: set[Any]) -> Keep:
    """Keeps every row, and notes what it was shown of it."""

    def keep(row: Shown) -> bool:
        seen.add(shown(row))
        return True

    return keep


@given(rows=st.lists(good_rows(), max_size=4))
@example(['{"id":"1","name":"A","name":"B","id":2}'])
@example(['{"id":"1","zz":' + "9" * 5_000 + "}"])
@example(['{"id":"1","name":"a\\u0000b","adlabels":[{"name":"\\u0000"}]}'])
@example(['{"id":"1","name":"\\ud83d","status":"\\ude00x","z\\ud83d":["\\ud83d"]}'])
async def test_whichever_reader_takes_a_page_its_rows_are_the_same_and_all_there(
    rows: list[str],
) -> None:
    """R035, R050, R051, R053: and what they hold can be stored anywhere."""
    seen, seen_loosely = set[Any](), set[Any]()
    fast = await walked(body(rows), noting(seen))
    loose = await walked(body(rows, NUL), noting(seen_loosely))

    assert isinstance(fast, Listing), fast
    assert told(fast) == told(loose)
    assert seen == seen_loosely
    assert seen <= set(map(shown, fast.rows))
    assert {row.id for row in fast.rows} == {str(json.loads(row)["id"]) for row in map(short, rows)}
    for row in fast.rows:
        assert is_storable(row), row


def short(row: str) -> str:
    """Without the numbers that the standard reader refuses."""
    return row.replace("9" * 5_000, "9")


def is_storable(row: Row) -> bool:
    """By UTF-8 and by a database that knows no U+0000; ids are text."""
    held = json.dumps(
        [row.name, row.labels, row.status, row.created_time, row.data], ensure_ascii=False
    )
    return _is_utf8(held) and NUL not in held.replace("\\\\u0000", "") and type(row.id) is str


@given(rows=st.lists(good_rows(), max_size=2), odd=bad_rows, at=st.integers(0, 2))
async def test_a_row_that_cannot_be_counted_spoils_the_page_by_whichever_reader(
    rows: list[str], odd: str, at: int
) -> None:
    """Facts 1.7: it may be ours, so the walk is no listing; or else it is a row after all."""
    rows = [*rows[:at], odd, *rows[at:]]
    fast, loose = await walked(body(rows)), await walked(body(rows, NUL))

    event(type(fast).__name__)
    assert told(fast) == told(loose)
    if isinstance(fast, Listing):
        assert fast.row_count == len({str(json.loads(short(row))["id"]) for row in rows})
    else:
        assert fast.reason is Reason.LISTING_INCOMPLETE


@given(content=st.binary(max_size=40) | good_rows().map(str.encode), cut=st.integers(0, 60))
async def test_no_bytes_raise_out_of_a_walk(content: bytes, cut: int) -> None:
    for each in (content, body([content.decode("utf-8", "ignore")])[:-cut], b'{"data":[' + content):
        assert isinstance((await walked(each)).pages, int)


def test_a_row_that_nests_without_end_breaks_no_walk() -> None:
    """As deep as this stack goes, and a hair less: a row of which little is known, or no page."""
    for depth in [*range(500, 1_050), 100_000]:
        page = read_page(body(['{"id":"1","name":"x","zz":' + "[" * depth + "]" * depth + "}"]))
        known = {"id": "1", "name": "x"}
        assert isinstance(page, NotAPage) or known.items() <= page.given(0).items(), depth


@pytest.mark.parametrize("cursor", ['"a\\ud83d"', '""', "7", "null", "[]", "{}"])
async def test_a_cursor_that_no_request_can_carry_ends_no_walk(cursor: str) -> None:
    paging = f'{{"next":"https://h/?limit=1","cursors":{{"after":{cursor}}}}}'

    walk = await walked(f'{{"data":[],"paging":{paging}}}'.encode())

    assert told(walk) is None
