"""Several creates in one request: how they are sent, and what the reply says about each."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.graph.create_batch import ChildAnswer, answers_to_batch, batch_body, operation
from adapters.graph.paths import Unsendable
from adapters.graph.redaction import Redaction
from adapters.graph.reply import NoReply, Reply
from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.model import Kind, Outcome
from tests.unit.test_graph_outcome import ROWS, error

CREATED, UNKNOWN, REJECTED = Outcome.CREATED, Outcome.UNKNOWN, Outcome.REJECTED
USAGE = "x-business-use-case-usage"


def created(external_id: str) -> dict[str, Any]:
    return child(200, {"id": external_id})


def child(code: Any, body: Any, **headers: str) -> dict[str, Any]:
    """One entry of a reply, as in facts 9.11."""
    named = [{"name": name.replace("_", "-"), "value": text} for name, text in headers.items()]
    return {"code": code, "headers": named, "body": json.dumps(body)}


def sent(count: int, kind: Kind = Kind.AD) -> list[CreateRequest]:
    return [
        CreateRequest(account_id="act_1001", kind=kind, params={"name": f"Spring / {number}"})
        for number in range(count)
    ]


def told(back: Reply | NoReply, requests: list[CreateRequest]) -> list[ChildAnswer]:
    return answers_to_batch(back, requests, Redaction())


def whole(content: Any, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(status, httpx.Headers(named), json.dumps(content).encode())


def answers(content: Any, count: int, status: int = 200, **headers: str) -> list[Answer]:
    """To that many ads."""
    return [each.answer for each in told(whole(content, status, **headers), sent(count))]


def outcomes(content: Any, count: int, status: int = 200) -> list[tuple[Outcome, str | None]]:
    return [(each.outcome, each.external_id) for each in answers(content, count, status)]


# --- while the reply is whole ---------------------------------------------------------------------


def test_each_child_has_the_answer_in_its_place() -> None:
    """R002: four made, the fourth a 500; no id lands on a neighbour."""
    failed = child(500, {"error": {"code": 2, "is_transient": True}})
    reply = [created("901"), created("902"), created("903"), failed, created("905")]

    assert outcomes(reply, 5) == [
        (CREATED, "901"),
        (CREATED, "902"),
        (CREATED, "903"),
        (UNKNOWN, None),
        (CREATED, "905"),
    ]


def test_a_refused_child_is_rejected_whatever_the_outer_status_and_its_message_is_kept() -> None:
    """R003."""
    refused = child(400, error(100, message="the budget is missing"))

    for answer in answers([refused, refused], 2):
        assert (answer.outcome, answer.again) == (REJECTED, Again.NEVER)
        assert answer.error is not None
        assert (answer.error.row, answer.error.message) == ("E28", "the budget is missing")
        assert answer.error.http_status == 400


def test_a_null_is_unknown_and_those_beside_it_keep_their_ids() -> None:
    """R004; facts 4.13."""
    reply = [created("901"), None, created("903")]

    assert outcomes(reply, 3) == [(CREATED, "901"), (UNKNOWN, None), (CREATED, "903")]


@pytest.mark.parametrize(("number", "code", "subcode", "status", "outcome", "again"), ROWS)
def test_every_row_of_the_table_says_of_a_child_what_it_says_of_a_create_sent_alone(  # noqa: PLR0917 - the columns
    number: str, code: Any, subcode: int | None, status: int, outcome: Outcome, again: Again
) -> None:
    """R002, R003."""
    reply = [created("901"), child(status, error(code, subcode, message="m"))]

    first, answer = answers(reply, 2)

    assert first == Answer(outcome=CREATED, external_id="901")
    assert answer.error is not None
    assert (answer.error.row, answer.outcome, answer.again) == (number, outcome, again)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "text",
        7,
        [],
        {},
        {"id": "902"},
        {"code": 200},
        {"code": 200, "body": None},
        {"code": 200, "body": {"id": "902"}},
        {"code": "200", "body": '{"id":"902"}'},
        {"code": True, "body": '{"id":"902"}'},
        {"code": None, "body": '{"id":"902"}'},
        {"code": 200.0, "body": '{"id":"902"}'},
        {"code": 0, "body": '{"error":{"code":100}}'},
        {"code": 10**20, "body": '{"error":{"code":100}}'},
        {"code": 200, "body": ""},
        {"code": 200, "body": "null"},
        {"code": 200, "body": "{}"},
        {"code": 200, "body": '{"success":true}'},
        {"code": 200, "body": '{"id":"902"'},
        {"code": 200, "body": '{"id":"902","name":"\ud800"}'},
        {"code": 200, "body": '"902"'},
        {"code": 200, "body": '[{"id":"902"}]'},
        {"code": 302, "body": '{"id":"902"}'},
        {"code": 400, "body": "<html>Bad Request</html>"},
        {"code": 200, "body": '{"id":"902","error":{"code":100}}'},
    ],
)
def test_a_child_without_a_clear_answer_is_unknown_and_its_neighbours_are_not(entry: Any) -> None:
    """R004; facts 2.7."""
    reply = [created("901"), entry, created("903")]

    assert outcomes(reply, 3) == [(CREATED, "901"), (UNKNOWN, None), (CREATED, "903")]


# --- where it is not ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        [created("901"), created("903")],
        [created("901"), None, created("903"), None],
        [],
        None,
        {},
        "Service Unavailable",
        {"id": "901"},
        {"data": [created("901"), created("902"), created("903")]},
        {"0": created("901"), "1": created("902"), "2": created("903")},
    ],
)
def test_no_id_is_given_by_its_place_where_the_reply_is_not_whole(reply: Any) -> None:
    """R004: two entries for three; whose they are nobody knows."""
    assert outcomes(reply, 3) == [(UNKNOWN, None)] * 3


@pytest.mark.parametrize("status", [302, 400, 500, 503])
def test_a_list_under_a_bad_status_is_not_whole(status: int) -> None:
    assert outcomes([created("901"), created("902")], 2, status) == [(UNKNOWN, None)] * 2


def test_one_id_for_two_ads_makes_every_place_doubtful() -> None:
    reply = [created("901"), created("902"), created("902")]

    assert outcomes(reply, 3) == [(UNKNOWN, None)] * 3


def test_two_creatives_may_be_answered_with_one_id() -> None:
    """Facts 4.9: the same content."""
    reply = whole([created("901"), created("901")])

    assert [each.answer for each in told(reply, sent(2, Kind.ADCREATIVE))] == [
        Answer(outcome=CREATED, external_id="901")
    ] * 2


def test_an_ad_does_not_share_a_creatives_id() -> None:
    reply = whole([created("901"), created("901")])

    both = told(reply, [*sent(1, Kind.ADCREATIVE), *sent(1)])

    assert [each.answer.outcome for each in both] == [UNKNOWN, UNKNOWN]


@pytest.mark.parametrize(("number", "code", "subcode", "status", "outcome", "again"), ROWS)
def test_an_error_in_place_of_the_list_speaks_for_every_child_but_rejects_none(  # noqa: PLR0917 - the columns
    number: str, code: Any, subcode: int | None, status: int, outcome: Outcome, again: Again
) -> None:
    """A throttle or a lost token is everybody's; what is wrong with the batch is no child's."""
    both = answers(error(code, subcode, message="m"), 2, status)

    wanted = (number, outcome, again)
    if outcome is REJECTED:
        wanted = ("N02", UNKNOWN, Again.BACKOFF)
    for answer in both:
        assert answer.error is not None
        assert (answer.error.row, answer.outcome, answer.again) == wanted
        assert answer.error.message == "m"


def test_a_throttle_of_the_whole_names_its_wait_to_every_child() -> None:
    usage = json.dumps({"1001": [{"type": "ads_management", "estimated_time_to_regain_access": 7}]})
    both = answers(error(80004, 2446079), 2, 400, x_business_use_case_usage=usage)

    assert [answer.wait for answer in both] == [timedelta(minutes=7)] * 2


@pytest.mark.parametrize(
    ("never_left", "outcome"), [(True, Outcome.NOT_SENT), (False, Outcome.UNKNOWN)]
)
def test_what_became_of_the_request_became_of_every_child(
    never_left: bool, outcome: Outcome
) -> None:
    both = told(NoReply(never_left, "no reply"), sent(2))

    assert [each.answer.outcome for each in both] == [outcome] * 2


# --- what a doubtful reply tells of the account --------------------------------------------------

MISALIGNED = [
    lambda answer: [created("901"), answer],
    lambda answer: [answer],
    lambda answer: [created("901"), created("901"), answer],
    lambda answer: [created("901"), created("902"), answer, None],
]
"""Too few, an id twice, too many: of no entry is it known whose it is."""

WAIT = json.dumps({"1001": [{"type": "ads_management", "estimated_time_to_regain_access": 7}]})


@pytest.mark.parametrize("reply", MISALIGNED)
@pytest.mark.parametrize(
    ("code", "row", "again"),
    [
        (80004, "E22", Again.THROTTLED),
        (4, "E11", Again.THROTTLED),
        (190, "E23", Again.ACCESS),
    ],
)
def test_what_closes_the_account_counts_whosever_answer_it_is(
    reply: Any, code: int, row: str, again: Again
) -> None:
    """Nobody is told created or refused by it, and nobody goes on against the block."""
    closing = child(400, error(code, message="m"), x_business_use_case_usage=WAIT)

    for each in told(whole(reply(closing)), sent(3)):
        answer = each.answer
        assert (answer.outcome, answer.again, answer.external_id) == (UNKNOWN, again, None)
        assert answer.error is not None
        assert answer.error.row == row
        assert answer.error.message.endswith("; an answer to one of them: m")
        assert answer.wait == (timedelta(minutes=7) if again is Again.THROTTLED else None)
        assert each.headers.get_list(USAGE) == [WAIT]


def test_of_several_that_close_it_the_weightiest_is_told_with_the_longest_wait() -> None:
    short = json.dumps({"1001": [{"estimated_time_to_regain_access": 1}]})
    entries = [
        child(400, error(80004), x_business_use_case_usage=WAIT),
        child(400, error(4), x_business_use_case_usage=short),
    ]

    (answer,) = answers(entries, 1)

    assert answer.error is not None
    assert (answer.error.row, answer.wait) == ("E11", timedelta(minutes=7))


def test_an_error_of_the_input_closes_nothing_where_it_is_not_known_whose_it_is() -> None:
    (answer,) = answers([child(400, error(100, message="m")), created("901")], 1)

    assert answer.error is not None
    assert (answer.outcome, answer.again, answer.error.row) == (UNKNOWN, Again.BACKOFF, "N02")


def test_an_entry_that_cannot_be_read_still_tells_its_usage() -> None:
    (only,) = told(whole([{"headers": [{"name": USAGE, "value": WAIT}]}]), sent(1))

    assert only.answer.outcome is UNKNOWN
    assert only.headers.get_list(USAGE) == [WAIT]


# --- headers --------------------------------------------------------------------------------------


def test_a_childs_own_headers_are_read_and_the_outer_ones_count_for_all() -> None:
    """Facts 3.7, 9.11."""
    reply = [child(200, {"id": "901"}, x_app_usage='{"call_count":41}'), created("902"), None]

    first, second, third = told(whole(reply, x_ad_account_usage="{}", x_other="1"), sent(3))

    assert first.headers.multi_items() == [
        ("x-ad-account-usage", "{}"),
        ("x-app-usage", '{"call_count":41}'),
    ]
    assert second.headers.multi_items() == [("x-ad-account-usage", "{}")]
    assert third.headers.multi_items() == [("x-ad-account-usage", "{}")]


def test_a_throttled_child_names_the_wait_that_its_headers_ask_for() -> None:
    usage = json.dumps({"1001": [{"estimated_time_to_regain_access": 3}]})
    throttled = child(400, error(80004), x_business_use_case_usage=usage)

    first, second = answers([created("901"), throttled], 2)

    assert (first.again, first.wait) == (Again.NEVER, None)
    assert (second.again, second.wait) == (Again.THROTTLED, timedelta(minutes=3))


@pytest.mark.parametrize(
    "headers",
    [
        None,
        {},
        "text",
        [None],
        ["x"],
        [{"name": "x-app-usage"}],
        [{"name": 7, "value": "{}"}],
        [{"name": "x-app-usage", "value": {"call_count": 41}}],
        [{"name": "x-app-usage", "value": "\ud800é"}],
    ],
)
def test_headers_of_another_form_tell_nothing_and_spoil_nothing(headers: Any) -> None:
    entry = {"code": 200, "headers": headers, "body": '{"id":"901"}'}

    (only,) = told(whole([entry]), sent(1))

    assert only.answer == Answer(outcome=CREATED, external_id="901")
    assert only.headers.multi_items() == []


def test_a_reply_without_headers_members_is_whole() -> None:
    """`include_headers` may be dropped on the way (facts 4.11)."""
    assert outcomes([{"code": 200, "body": '{"id":"901"}'}], 1) == [(CREATED, "901")]


# --- writing --------------------------------------------------------------------------------------


def test_a_child_is_the_post_that_it_would_be_alone_and_its_success_is_not_left_out() -> None:
    """Facts 4.11, 4.13."""
    params = {"name": "Früh / 1 & 2", "creative": {"creative_id": "3001"}, "adset_id": "2001"}
    request = CreateRequest(account_id="1001", kind=Kind.AD, params=params)

    assert operation(request) == {
        "method": "POST",
        "relative_url": "act_1001/ads",
        "body": "name=Fr%C3%BCh+%2F+1+%26+2"
        "&creative=%7B%22creative_id%22%3A%223001%22%7D&adset_id=2001",
        "omit_response_on_success": False,
    }


def test_the_whole_is_one_form_that_asks_for_the_childrens_headers() -> None:
    body = batch_body([operation(request) for request in sent(2)], {"appsecret_proof": "p"})

    form = dict(httpx.QueryParams(body.decode()))
    assert set(form) == {"batch", "include_headers", "appsecret_proof"}
    assert form["include_headers"] == "true"
    assert [each["body"] for each in json.loads(form["batch"])] == [
        "name=Spring+%2F+0",
        "name=Spring+%2F+1",
    ]


@pytest.mark.parametrize("name", ["fields", "access_token", "batch"])
def test_a_child_is_refused_for_what_a_create_is_refused_for(name: str) -> None:
    """Facts 2.12."""
    request = CreateRequest(account_id="act_1001", kind=Kind.AD, params={name: "x"})

    with pytest.raises(Unsendable):
        operation(request)
