"""What a recording keeps of a reply, and what it must not."""

from __future__ import annotations

import json
import string
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.graph.anonymous import Anonymous
from adapters.graph.fault import read_fault
from adapters.graph.outcome import line_of
from adapters.graph.reply import Reply
from adapters.graph.wire import Page, read_page
from reconciler.mark import marks_of

KEY = b"k" * 32
ID = "120200000000000777"
NEXT = (
    "https://graph.facebook.com/v26.0/act_900100/ads?access_token=EAACANARY&limit=2"
    "&appsecret_proof=deadbeef&fields=id%2Cname&after=QVFIUmNj&name=Acme"
)


def made(value: Any, key: str = "") -> Any:
    return Anonymous(KEY).value(value, key)


def test_no_name_id_number_or_secret_is_left() -> None:
    given = {
        "data": [{"id": ID, "name": "Acme Spring", "daily_budget": "51234", "bid": 987654,
                  "status": "PAUSED", "note": "EAACANARY0123"}],
        "paging": {"cursors": {"after": "QVFIUmNj"}, "next": NEXT},
    }  # fmt: skip

    told = json.dumps(made(given))

    for secret in (ID, "Acme", "Spring", "51234", "987654", "CANARY", "deadbeef", "QVFIUmNj",
                   "900100", "graph.facebook.com"):  # fmt: skip
        assert secret not in told
    assert "PAUSED" in told


def test_a_next_link_keeps_its_parameters_and_the_cursor_of_its_page() -> None:
    told = made({"cursors": {"after": "QVFIUmNj"}, "next": NEXT})

    link = urlsplit(told["next"])
    query = parse_qs(link.query)
    assert list(query) == [
        "access_token",
        "limit",
        "appsecret_proof",
        "fields",
        "after",
        "name",
    ]
    assert (query["limit"], query["fields"]) == (["2"], ["id,name"])
    assert query["after"] == [told["cursors"]["after"]]
    assert link.path.startswith("/v26.0/act_")
    assert link.path.endswith("/ads")


def test_what_was_equal_stays_equal_and_what_was_not_does_not() -> None:
    words = [*string.ascii_lowercase, *string.digits, "Spring / 1", "Spring / 2", ID, "900100"]
    anonymous = Anonymous(KEY)
    told = [anonymous.text(word) for word in words]

    assert told == [anonymous.text(word) for word in words]
    assert len(set(told)) == len(words)
    assert anonymous.text("act_900100") == f"act_{anonymous.text('900100')}"
    assert anonymous.value(int(ID), "id") == int(anonymous.text(ID))


def test_an_object_draws_anew() -> None:
    """Two recordings cannot be joined by their ids."""
    assert Anonymous().text(ID) != Anonymous().text(ID)


@pytest.mark.parametrize("zero", ["0", 0, None, "", False, True])
def test_what_stands_for_none_stays(zero: object) -> None:
    """Facts 4.21: a source id of zero says that there is none."""
    assert made({"source_ad_id": zero}) == {"source_ad_id": zero}


PART, ITEM = "rc1-abcdefgh234567zz", "q2w3e4"


def test_marks_stay_marks_and_the_one_in_the_name_that_of_the_label() -> None:
    told = made({"name": f"Acme &amp; Co [{PART}.{ITEM}]", "adlabels": [{"name": PART}]})

    marks = marks_of(told["name"], (told["adlabels"][0]["name"],))
    assert len(marks.label_parts) == len(marks.item_parts) == 1
    assert marks.document_parts == marks.label_parts != {PART}
    assert "&amp;" in told["name"]


@given(st.text(max_size=40))
def test_any_text_keeps_its_length_and_where_its_spaces_are(text: str) -> None:
    told = Anonymous(KEY).text(text)

    assert len(told) == len(text)
    assert [each.isspace() for each in told] == [each.isspace() for each in text]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "name", "next", "error", "data", "Ünd 1"]), inner)
    ),
    max_leaves=10,
)


@given(JSON)
def test_any_json_keeps_its_shape(value: Any) -> None:
    assert shape(made(value)) == shape(value)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(each) for each in value.values()]
    return [shape(each) for each in value] if isinstance(value, list) else type(value)


ERRORS = [
    {"message": "(#80004) Acme", "code": 80004, "error_subcode": 2446079, "fbtrace_id": "Axy"},
    {"message": "Please reduce the amount of data you're asking for, then retry your request",
     "code": 1},
    {"message": "Invalid parameter", "type": "OAuthException", "code": 100,
     "error_subcode": 1885272, "is_transient": False,
     "error_data": '{"blame_field_specs":[["daily_budget"]]}', "error_user_msg": "Acme!"},
    {"message": "", "code": "190"},
    {},
]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=range(len(ERRORS)))
@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_error_is_judged_as_it_was(error: dict[str, Any], status: int) -> None:
    def row(content: Any) -> str:
        return line_of(read_fault(Reply(status, body=json.dumps(content).encode()))).number

    told = made({"error": error})

    assert row(told) == row({"error": error})
    assert "Acme" not in json.dumps(told)


def test_usage_headers_keep_their_figures_and_no_account() -> None:
    usage = json.dumps({"900100": [{"type": "ads_management", "call_count": 41}]})

    told = Anonymous(KEY).headers({"x-business-use-case-usage": usage, "x-fb-debug": "s3cret"})

    (name,) = told
    assert "900100" not in told[name]
    assert list(json.loads(told[name]).values()) == [[{"type": "ads_management", "call_count": 41}]]


def test_a_page_is_read_as_it_was() -> None:
    rows = [{"id": str(int(ID) + n), "name": f"Spring / {n % 3}", "adlabels": [{"name": PART}]}
            for n in range(20)]  # fmt: skip
    given = {"data": rows, "paging": {"cursors": {"after": "QVFI"}, "next": NEXT}}
    before, after = (read_page(json.dumps(each).encode()) for each in (given, made(given)))

    assert isinstance(before, Page)
    assert isinstance(after, Page)
    assert [len({row.name for row in page.rows}) for page in (before, after)] == [3, 3]
    assert [len({row.id for row in page.rows}) for page in (before, after)] == [20, 20]
    assert (before.after is None) == (after.after is None)
