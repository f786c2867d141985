"""Pages as bytes: what is one, where it goes on, what its rows say, by both readers alike."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.graph import wire
from adapters.graph.redaction import Redaction
from adapters.graph.rows import row_of
from adapters.graph.text import as_stored
from adapters.graph.wire import NotAPage, Page, read_page
from reconciler.listing import Row
from reconciler.model import Kind

NEXT = "https://graph.facebook.com/v26.0/act_1/ads?access_token=OTHER&limit=2&after=fromlink"


def page_of(content: Any) -> Page | NotAPage:
    return read_page(content if isinstance(content, bytes) else json.dumps(content).encode())


def row(content: dict[str, Any], kind: Kind = Kind.AD) -> Row:
    page = page_of({"data": [content]})
    assert isinstance(page, Page), page
    return row_of(page.given(0), kind)


@pytest.mark.parametrize(
    ("reason", "content", "after"),
    [
        ("R025: no paging key at all", {"data": []}, None),
        ("facts 1.4: cursors stay on the last page", {"paging": {"cursors": {"after": "c"}}}, None),
        ("R021: previous only", {"paging": {"cursors": {"after": "c"}, "previous": NEXT}}, None),
        (
            "facts 1.3: empty and going on",
            {"paging": {"next": NEXT, "cursors": {"after": "c"}}},
            "c",
        ),
        ("R024: a link without cursors", {"paging": {"next": NEXT}}, "fromlink"),
        (
            "cursors without after",
            {"paging": {"next": NEXT, "cursors": {"before": "b"}}},
            "fromlink",
        ),
        ("cursors null", {"paging": {"next": NEXT, "cursors": None}}, "fromlink"),
        ("an odd cursor", {"paging": {"next": NEXT, "cursors": {"after": 7}}}, "fromlink"),
        ("cursors no object", {"paging": {"next": NEXT, "cursors": ["x"]}}, "fromlink"),
        ("next null", {"paging": {"next": None, "cursors": {"after": "c"}}}, None),
        ("paging null", {"paging": None}, None),
        ("escaped in the link", {"paging": {"next": "http://h/?after=a%2Bb%3D"}}, "a+b="),
    ],
)
def test_a_page_ends_the_listing_only_where_next_is_absent(
    reason: str, content: dict[str, Any], after: str | None
) -> None:
    page = page_of({"data": []} | content)

    assert isinstance(page, Page), reason
    assert page.after == after, reason


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"paging": {}},
        {"data": None},
        {"data": {}},
        {"data": "x"},
        [],
        b"null",
        b'"Service Unavailable"',
        b"Service Unavailable",
        b"<html></html>",
        b"",
        b"{",
        b'{"data":[]',
        b'{"data":[NaN]}',
        b'{"data":[{"id":"1","name":"\xff"}]}',
        b"[" * 100_000,
        {"data": [], "error": {"code": 1}},
        {"data": [], "error": "x"},
        {"data": ["1"]},
        {"data": [None]},
        {"data": [["id", "1"]]},
        {"data": [{"id": "1"}, {}]},
        {"data": [{"name": "without an id"}]},
        {"data": [{"id": None}]},
        {"data": [{"id": ""}]},
        {"data": [{"id": "x1"}]},
        {"data": [{"id": 1.5}]},
        {"data": [{"id": 2.3851234567890123e16}]},
        {"data": [{"id": True}]},
        {"data": [{"id": "1", "adlabels": {"data": []}}]},
        {"data": [{"id": "1", "adlabels": "x"}]},
        {"data": [], "paging": []},
        {"data": [], "paging": "x"},
        {"data": [], "paging": {"next": ""}},
        {"data": [], "paging": {"next": 7}},
        {"data": [], "paging": {"next": True}},
        {"data": [], "paging": {"next": "https://h/?limit=5"}},
        {"data": [], "paging": {"next": "https://h/?after="}},
        {"data": [], "paging": {"next": "https://[h/?after=x"}},
    ],
)
def test_what_is_no_page_is_never_an_empty_one(content: Any) -> None:
    """R025, R028."""
    assert isinstance(page_of(content), NotAPage)


def test_a_row_is_read_whole() -> None:
    given = {
        "id": "120200000000000101",
        "name": "Spring",
        "account_id": "900",
        "campaign_id": "7",
        "adset_id": "8",
        "status": "PAUSED",
        "effective_status": "CAMPAIGN_PAUSED",
        "created_time": "2026-11-02T09:14:07+0100",
        "adlabels": [{"id": "1", "name": "one"}, {"id": "2"}, {"name": None}, {"name": ""}],
        "source_ad_id": "44",
        "source_campaign_id": "55",
        "unasked": {"x": [1]},
    }

    assert row(given) == Row(
        id="120200000000000101",
        kind=Kind.AD,
        name="Spring",
        account_id="900",
        campaign_id="7",
        adset_id="8",
        status="PAUSED",
        effective_status="CAMPAIGN_PAUSED",
        created_time="2026-11-02T09:14:07+0100",
        labels=("one",),
        source_id="44",
    )


@pytest.mark.parametrize(
    "given",
    [
        {"id": "1"},
        dict.fromkeys(("name", "account_id", "created_time", "adlabels", "source_ad_id"))
        | {"id": "1"},
        {"id": "1", "name": 7, "created_time": 1.5, "status": [], "account_id": {}},
        {"id": "1", "adlabels": [], "account_id": "", "source_ad_id": ""},
        {"id": "1", "adlabels": [None, 7, "x", {"name": 7}, {}], "source_ad_id": "0"},
        {"id": "1", "source_ad_id": 0},
        {"id": 1},
    ],
)
def test_what_a_row_lacks_is_none(given: dict[str, Any]) -> None:
    """R035: missing, null, or of no use; and the row is still a row."""
    assert row(given) == Row(id="1", kind=Kind.AD)


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (Kind.CAMPAIGN, "source_campaign_id"),
        (Kind.ADSET, "source_adset_id"),
        (Kind.AD, "source_ad_id"),
    ],
)
def test_each_level_has_its_own_source(kind: Kind, source: str) -> None:
    others = {"source_campaign_id": "9", "source_adset_id": "9", "source_ad_id": "9"}

    assert row({"id": "1"} | others | {source: "44"}, kind).source_id == "44"
    assert row({"id": "1"} | others | {source: "0"}, kind).source_id is None
    assert row({"id": "1"} | others, Kind.ADCREATIVE).source_id is None


@pytest.mark.parametrize(
    "body",
    [
        b'{"data":[{"id": 23851234567890123, "campaign_id": 23851234567890125}]}',
        b'{"data":[{"id": "23851234567890123", "campaign_id": "23851234567890125"}]}',
    ],
)
def test_an_id_keeps_all_its_digits(body: bytes) -> None:
    """R053: a number or a string, the same id, a string in what is stored."""
    page = read_page(body)

    assert isinstance(page, Page)
    found = row_of(page.given(0), Kind.ADSET)
    assert page.rows[0].id == found.id
    assert (found.id, found.campaign_id) == ("23851234567890123", "23851234567890125")
    assert as_stored(page.given(0), Redaction()) == {
        "id": "23851234567890123",
        "campaign_id": "23851234567890125",
    }


@pytest.mark.parametrize(
    ("escape", "shown"),
    [(r"a\u0000b", r"a\u0000b"), (r"a\ud83d", r"a\ud83d"), (r"\uDE00", r"\ude00")],
)
def test_text_that_no_database_takes_becomes_visible(escape: str, shown: str) -> None:
    """R051: the row and its neighbours survive."""
    body = f'{{"data":[{{"id":"1","name":"{escape}","x":["{escape}"]}},{{"id":"2","name":"ok"}}]}}'
    page = read_page(body.encode())

    assert isinstance(page, Page)
    assert [each.name for each in page.rows] == [shown, "ok"]
    assert page.given(0) == {"id": "1", "name": shown, "x": [shown]}


@pytest.mark.parametrize(
    "name", ["É", "🇫🇷 👩‍👩‍👧 Soldes", "50% & plus+more #1", "success – Service Unavailable"]
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_name_comes_back_byte_for_byte(name: str, ascii_only: bool) -> None:
    """R050, and R028: words in a name are no status."""
    body = json.dumps({"data": [{"id": "1", "name": name}]}, ensure_ascii=ascii_only).encode()
    page = read_page(body)

    assert isinstance(page, Page)
    assert page.rows[0].name == name
    assert page.given(0)["name"] == name


def test_what_is_stored_of_a_row_holds_no_secret() -> None:
    """R096."""
    redaction = Redaction()
    redaction.learn("TESTTOKEN123")
    given = {
        "id": "1",
        "access_token": "x",
        "nested": [{"appsecret_proof": "y", "link": "https://h/?access_token=zzz&a=1"}],
        "note": "TESTTOKEN123",
        "odd": float("inf"),
    }

    assert as_stored(given, redaction) == {
        "id": "1",
        "nested": [{"link": "https://h/?access_token=[redacted]&a=1"}],
        "note": "[redacted]",
        "odd": None,
    }


def test_a_row_that_nests_without_end_is_cut() -> None:
    deep = b'{"data":[{"id":"1","x":' + b"[" * 500 + b"]" * 500 + b"}]}"
    page = read_page(deep)

    assert isinstance(page, Page)
    assert "nested too deep" in json.dumps(as_stored(page.given(0), Redaction()))


@pytest.mark.parametrize("odd", ["", "0", "000", "1" * 33, "1a", "-1", " 1", "１", "²"])
def test_one_id_that_is_none_makes_a_page_none(odd: str) -> None:
    assert isinstance(page_of({"data": [{"id": "1"}, {"id": odd}, {"id": "2"}]}), NotAPage)


@pytest.mark.parametrize("usual", ["01", "9" * 32, 7])
def test_ids_of_any_length_we_know_are_read(usual: str | int) -> None:
    page = page_of({"data": [{"id": "1"}, {"id": usual}]})

    assert isinstance(page, Page)
    assert [row.id for row in page.rows] == ["1", str(usual)]


def test_a_number_without_end_spoils_no_row_that_is_kept() -> None:
    page = read_page(b'{"data":[{"id":"1","x":' + b"7" * 5000 + b"}]}")

    assert isinstance(page, Page)
    assert page.given(0) == {"id": "1", "x": "7" * 5000}


def test_a_page_with_bytes_that_are_no_text_is_none_wherever_they_stand() -> None:
    """A garbled parent would disprove a row of ours."""
    assert isinstance(read_page(b'{"data":[{"id":"1","adset_id":"12\xff"}]}'), NotAPage)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
ids = st.integers(1, 10**20).map(str)
rows = st.fixed_dictionaries(
    {"id": ids},
    optional={
        "name": texts | st.none(),
        "account_id": ids | st.just("") | st.none(),
        "campaign_id": ids | st.integers(0, 10**20),
        "created_time": texts | st.integers(),
        "adlabels": st.none()
        | st.lists(st.fixed_dictionaries({}, optional={"name": texts | st.none(), "id": ids})),
        "source_ad_id": ids | st.just("0") | st.none(),
        "other": st.recursive(
            st.none() | st.floats(allow_nan=False) | texts, st.lists, max_leaves=5
        ),
    },
)
pagings = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "next": st.just(NEXT) | st.none() | texts,
        "cursors": st.none() | st.fixed_dictionaries({}, optional={"after": texts | st.none()}),
    },
)


@given(
    content=st.fixed_dictionaries(
        {"data": st.lists(rows, max_size=4)}, optional={"paging": pagings, "error": st.none()}
    )
)
def test_the_fast_reader_and_the_loose_one_say_the_same(content: dict[str, Any]) -> None:
    body = json.dumps(content).encode()
    fast, loose = read_page(body), wire._read_loosely(body)

    if isinstance(fast, NotAPage) or isinstance(loose, NotAPage):
        assert isinstance(fast, NotAPage)
        assert isinstance(loose, NotAPage)
        return
    assert fast.after == loose.after
    shown, shown_loosely = ([(r.id, r.name, r.labels) for r in p.rows] for p in (fast, loose))
    count = range(len(content["data"]))
    read = [row_of(fast.given(i), Kind.AD) for i in count]
    assert shown == shown_loosely == [(r.id, r.name, r.labels) for r in read]
    for row_read, whole in zip(fast.rows, read, strict=True):
        assert all(row_read.bears(frozenset({label, "?"})) for label in whole.labels)
        assert row_read.bears(frozenset()) is whole.bears(frozenset()) is False
    assert [fast.given(i) for i in count] == [loose.given(i) for i in count] == content["data"]


@given(body=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_body_breaks_the_reader(body: bytes) -> None:
    assert isinstance(read_page(body), (Page, NotAPage))
