"""The outcome table, line by line, and what a create's reply means as a whole."""

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.graph.answer import answer_to_create
from adapters.graph.outcome import DEFAULT, EVENTS, REPLIES, Event, line_of_event
from adapters.graph.redaction import Redaction
from adapters.graph.reply import NoReply, Reply
from reconciler.call_outcome import Again, Answer
from reconciler.model import Outcome

UNKNOWN, REJECTED = Outcome.UNKNOWN, Outcome.REJECTED
REFUSED, NOT_SENT, CREATED = Outcome.REFUSED_ACCESS, Outcome.NOT_SENT, Outcome.CREATED
BACKOFF, THROTTLED = Again.BACKOFF, Again.THROTTLED
ACCESS, NEVER, NOW = Again.ACCESS, Again.NEVER, Again.NOW


def answered(status: int, body: Any, **headers: str) -> Answer:
    """What a create is answered with by this status and this body, bytes or JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer_to_create(Reply(status, httpx.Headers(named), raw), Redaction())


def error(code: Any = None, subcode: Any = None, **more: Any) -> dict[str, Any]:
    """An error envelope."""
    numbers = {"code": code, "error_subcode": subcode}
    return {"error": {name: value for name, value in (numbers | more).items() if value is not None}}


# number, code, subcode, HTTP status, outcome, again: every row of facts 2B
ROWS = [
    ("E01", 1, None, 500, UNKNOWN, BACKOFF),
    ("E01", 1, None, 400, UNKNOWN, BACKOFF),
    ("E01", 1, 123456, 400, UNKNOWN, BACKOFF),
    ("E02", 1, 99, 500, UNKNOWN, BACKOFF),
    ("E04", 2, None, 500, UNKNOWN, BACKOFF),
    ("E04", 2, None, 400, UNKNOWN, BACKOFF),
    ("E04", 2, 1885272, 400, UNKNOWN, BACKOFF),
    ("E05", -1, None, 400, UNKNOWN, BACKOFF),
    ("E05", -2, None, 500, UNKNOWN, BACKOFF),
    ("E05", -3, 1885272, 400, UNKNOWN, BACKOFF),
    ("E06", None, None, 500, UNKNOWN, BACKOFF),
    ("E06", None, None, 503, UNKNOWN, BACKOFF),
    ("E06", 100, None, 500, UNKNOWN, BACKOFF),
    ("E06", 190, 463, 502, UNKNOWN, BACKOFF),
    ("E07", 960, None, 400, UNKNOWN, BACKOFF),
    ("E08", 104, None, 400, UNKNOWN, BACKOFF),
    ("E09", 3910001, None, 400, UNKNOWN, BACKOFF),
    ("E10", 100, 1487390, 400, UNKNOWN, BACKOFF),
    ("E11", 4, None, 400, UNKNOWN, THROTTLED),
    ("E11", 4, 1504022, 400, UNKNOWN, THROTTLED),
    ("E11", 4, 1504039, 400, UNKNOWN, THROTTLED),
    ("E12", 17, None, 400, UNKNOWN, THROTTLED),
    ("E12", 17, 2446079, 400, UNKNOWN, THROTTLED),
    ("E12", 17, 2446079, 500, UNKNOWN, THROTTLED),
    ("E13", 17, 1885172, 400, UNKNOWN, THROTTLED),
    ("E14", 32, None, 400, UNKNOWN, THROTTLED),
    ("E15", 341, None, 400, UNKNOWN, THROTTLED),
    ("E16", 613, None, 400, UNKNOWN, THROTTLED),
    ("E16", 613, 777, 400, UNKNOWN, THROTTLED),
    ("E17", 613, 1487742, 400, UNKNOWN, THROTTLED),
    ("E18", 613, 1487632, 400, UNKNOWN, THROTTLED),
    ("E19", 613, 1487225, 400, REFUSED, ACCESS),
    ("E20", 613, 5044001, 400, UNKNOWN, THROTTLED),
    ("E21", 613, 1996, 400, REFUSED, ACCESS),
    *[("E22", n, None, 400, UNKNOWN, THROTTLED) for n in range(80000, 80007)],
    ("E22", 80003, 2446079, 400, UNKNOWN, THROTTLED),
    ("E22", 80004, 2446079, 400, UNKNOWN, THROTTLED),
    *[("E22", n, None, 400, UNKNOWN, THROTTLED) for n in (80008, 80009, 80014)],
    *[("E23", 190, n, 400, REFUSED, ACCESS) for n in (458, 459, 460, 463, 464, 467, 492)],
    ("E23", 190, None, 401, REFUSED, ACCESS),
    ("E24", 102, None, 401, REFUSED, ACCESS),
    *[("E25", n, None, 403, REFUSED, ACCESS) for n in (10, 3, 200, 270, 283, 294, 299)],
    ("E25", 200, 1870034, 400, REFUSED, ACCESS),
    ("E25", 200, 1870047, 400, REFUSED, ACCESS),
    ("E26", 368, None, 400, REFUSED, ACCESS),
    ("E26", 368, 2859015, 400, REFUSED, ACCESS),
    ("E26", 2859015, None, 400, REFUSED, ACCESS),
    ("E26", 100, 1404078, 400, REFUSED, ACCESS),
    ("E27", 506, None, 400, REJECTED, NEVER),
    ("E28", 100, None, 400, REJECTED, NEVER),
    ("E28", 100, 424242, 400, REJECTED, NEVER),
    ("E28", "100", None, 400, REJECTED, NEVER),
    ("E28", 100, None, 200, REJECTED, NEVER),
    ("E29", 100, 33, 400, REFUSED, ACCESS),
    ("E30", 100, 1885183, 400, REJECTED, NEVER),
    ("E31", 100, 1885194, 400, REJECTED, NEVER),
    *[("E32", 100, n, 400, REJECTED, NEVER) for n in (2446289, 1885557, 2490155)],
    *[("E33", 100, n, 400, REJECTED, NEVER) for n in (1487901, 1885272, 1885650)],
    *[("E33", n, None, 400, REJECTED, NEVER) for n in (1487901, 1885272, 1885650)],
    *[("E34", 100, n, 400, REJECTED, NEVER) for n in (1487056, 1487862, 1885088)],
    ("E34", 1487056, None, 400, REJECTED, NEVER),
    ("E35", 100, 2446867, 400, REFUSED, ACCESS),
    ("E35", 2446867, None, 400, REFUSED, ACCESS),
    ("E36", 2500, None, 400, REJECTED, NEVER),
    ("E37", 194, None, 400, REJECTED, NEVER),
    ("E38", 803, None, 404, UNKNOWN, BACKOFF),
    ("E39", 2642, None, 400, UNKNOWN, BACKOFF),
]


@pytest.mark.parametrize(("number", "code", "subcode", "status", "outcome", "again"), ROWS)
def test_an_error_code_says_what_its_row_of_the_facts_says(  # noqa: PLR0917 - the columns
    number: str, code: Any, subcode: int | None, status: int, outcome: Outcome, again: Again
) -> None:
    """R015 among them: a plain code 100 closes the question, in E28."""
    answer = answered(status, error(code, subcode, message="m", fbtrace_id="Afix"))

    assert answer.error is not None
    assert (answer.error.row, answer.outcome, answer.again) == (number, outcome, again)
    assert answer.error.trace_id == "Afix"
    assert answer.error.http_status == status


def test_a_page_that_is_too_heavy_says_nothing_about_a_create() -> None:
    """E03 is told from E01 by its message alone (facts 1.13)."""
    text = "Please reduce the amount of data you're asking for, then retry your request"
    answer = answered(500, error(1, message=text))

    assert answer.error is not None
    assert (answer.error.row, answer.outcome, answer.again) == ("E03", UNKNOWN, BACKOFF)


@pytest.mark.parametrize(
    ("event", "number", "outcome", "again"),
    [
        (Event.NEVER_LEFT, "N01", NOT_SENT, NOW),
        (Event.NO_CLEAR_ANSWER, "N02", UNKNOWN, BACKOFF),
        (Event.REFUSED_STREAM, "N03", NOT_SENT, NOW),
        (Event.WORKER_DIED, "N04", UNKNOWN, BACKOFF),
        (Event.CREATED, "N05", CREATED, NEVER),
    ],
)
def test_a_network_event_says_what_its_row_says(
    event: Event, number: str, outcome: Outcome, again: Again
) -> None:
    line = line_of_event(event)

    assert (line.number, line.outcome, line.again) == (number, outcome, again)


def test_the_table_has_every_row_of_the_facts_and_the_tests_name_each() -> None:
    wanted = {f"E{n:02}" for n in range(1, 40)} | {f"N0{n}" for n in range(1, 6)}
    tested = {row[0] for row in ROWS} | {"E03"} | {f"N0{n}" for n in range(1, 6)}

    assert {line.number for line in (*REPLIES, *EVENTS)} == wanted
    assert tested == wanted


def test_every_event_has_one_line() -> None:
    assert sorted(line.event for line in EVENTS if line.event) == sorted(Event)
    assert DEFAULT.outcome is UNKNOWN


def _codes() -> list[tuple[Any, Any]]:
    return sorted({(row[1], row[2]) for row in ROWS}, key=str)


@pytest.mark.parametrize(("code", "subcode"), _codes())
@pytest.mark.parametrize("flag", [True, "true", 1])
def test_a_reply_that_calls_itself_transient_never_closes_the_question(
    code: Any, subcode: Any, flag: Any
) -> None:
    """E06: even where the code alone would say no."""
    assert answered(400, error(code, subcode, is_transient=flag)).outcome is UNKNOWN


@pytest.mark.parametrize(("code", "subcode"), _codes())
@pytest.mark.parametrize("status", [500, 502, 503, 504, 599])
def test_a_5xx_never_closes_the_question(code: Any, subcode: Any, status: int) -> None:
    """E06."""
    assert answered(status, error(code, subcode)).outcome is UNKNOWN


@pytest.mark.parametrize(("code", "subcode"), _codes())
def test_a_plain_no_to_transient_changes_nothing(code: Any, subcode: Any) -> None:
    """Facts 2.5: the flag is not sufficient; 17/2446079 carries false though it clears."""
    assert answered(400, error(code, subcode, message="m", is_transient=False)) == answered(
        400, error(code, subcode, message="m")
    )


UNREADABLE = [
    (200, b""),
    (200, b"null"),
    (200, b'"Service Unavailable"'),
    (200, b"Service Unavailable"),
    (200, b"<html><body>ok</body></html>"),
    (200, b'{"id":"120200000000000777"'),
    (200, b'{"id":"1202"} trailing'),
    (200, b"[]"),
    (200, b'[{"id":"1"}]'),
    (200, b"{}"),
    (200, b"\xff\xfe"),
    (200, b"[" * 100_000),
    (200, b'{"id":' + b"9" * 5_000 + b"}"),
    (200, {"success": True}),
    (200, {"id": None}),
    (200, {"id": ""}),
    (200, {"id": "0"}),
    (200, {"id": 0}),
    (200, {"id": True}),
    (200, {"id": -5}),
    (200, {"id": 1.2e17}),
    (200, {"id": "12 "}),
    (200, {"id": "act_12"}),
    (200, {"id": "١٢"}),
    (200, {"id": ["12"]}),
    (200, {"id": "12", "success": False}),
    (200, {"id": "12", "error": {"code": 100}}),
    (400, {"id": "12", "error": {"code": 100}}),
    (400, {"id": "12"}),
    (200, {"error": "text"}),
    (200, {"error": []}),
    (400, {"error": {}}),
    (400, {"error": {"message": "m"}}),
    (400, {"error": {"code": None, "error_subcode": 1885272}}),
    (400, {"error": {"code": 100, "error_subcode": "odd"}}),
    (400, {"error": {"code": 100, "error_subcode": 1885272.5}}),
    (400, {"error": {"code": 100.0}}),
    (400, {"error": {"code": True}}),
    (400, {"error": {"code": [100]}}),
    (400, {"error": {"code": 10**30}}),
    (400, {"error": {"code": 31337}}),
    (400, b"<html>Bad Request</html>"),
    (401, b""),
    (403, b"Forbidden"),
    (404, b""),
    (301, {"id": "12"}),
    (302, b""),
    (307, b""),
    (204, b""),
]


@pytest.mark.parametrize(("status", "body"), UNREADABLE)
def test_whatever_is_no_clear_answer_is_unknown(status: int, body: Any) -> None:
    """Facts 2.7, N02; R007: malformed JSON in a 200 among them."""
    answer = answered(status, body)

    assert (answer.outcome, answer.again, answer.external_id) == (UNKNOWN, BACKOFF, None)
    assert answer.error is not None
    assert answer.error.row == "N02"


def test_an_edge_that_says_too_many_requests_is_a_throttle() -> None:
    assert answered(429, b"slow down").again is THROTTLED


@pytest.mark.parametrize(
    ("status", "body", "external_id"),
    [
        (200, {"id": "120200000000000777"}, "120200000000000777"),
        (200, {"id": "120200000000000777", "success": True}, "120200000000000777"),
        (200, b'{"id": 23851234567890123}', "23851234567890123"),
        (200, b'{"id": 120238512345678901}', "120238512345678901"),
        (200, {"id": "7", "error": None}, "7"),
        (201, {"id": "7"}, "7"),
    ],
)
def test_a_reply_with_an_id_is_created(status: int, body: Any, external_id: str) -> None:
    """N05; R053: an id keeps all its digits, whether it came as text or as a number."""
    assert answered(status, body) == Answer(outcome=CREATED, external_id=external_id)


def test_what_a_person_needs_is_in_the_message_and_nothing_secret_is() -> None:
    """R096: the API's text is kept, redacted, then cut."""
    redaction = Redaction()
    redaction.learn("TESTTOKEN123")
    body = error(
        100,
        1885272,
        message="Invalid parameter for access_token=abc and TESTTOKEN123 " + "x" * 400,
        error_user_title="Budget too low",
    )
    answer = answer_to_create(Reply(400, httpx.Headers(), json.dumps(body).encode()), redaction)

    assert answer.error is not None
    assert answer.error.message.startswith("Invalid parameter for access_token=[redacted] and")
    assert len(answer.error.message) == 300
    assert "TESTTOKEN123" not in answer.error.message
    assert (answer.error.code, answer.error.subcode) == (100, 1885272)


@pytest.mark.parametrize("odd", ["\0", "\ud83d"])
def test_a_message_that_no_database_takes_becomes_visible(odd: str) -> None:
    """R051: or the answer could not be recorded, and the call would stay without an end."""
    answer = answered(400, error(100, message=f"bad{odd}name", fbtrace_id=odd))

    assert answer.error is not None
    shown = f"\\u{ord(odd):04x}"
    assert (answer.error.message, answer.error.trace_id) == (f"bad{shown}name", shown)


def test_the_users_explanation_follows_the_message() -> None:
    body = error(100, message="Invalid parameter", error_user_title="t", error_user_msg="mend it")
    answer = answered(400, body)

    assert answer.error is not None
    assert answer.error.message == "Invalid parameter. t: mend it"


def test_a_throttle_says_how_long_to_wait_and_other_replies_do_not() -> None:
    """Facts 3.2, 3.7: headers on an error; the same header on an ordinary reply asks nothing."""
    usage = '{"acc_id_util_pct":100,"reset_time_duration":240}'

    assert answered(400, error(17, 2446079), x_ad_account_usage=usage).wait == timedelta(minutes=4)
    assert answered(400, error(100), x_ad_account_usage=usage).wait is None
    assert answered(200, {"id": "7"}, x_ad_account_usage=usage).wait is None


@pytest.mark.parametrize(
    ("never_left", "outcome", "again"), [(True, NOT_SENT, NOW), (False, UNKNOWN, BACKOFF)]
)
def test_no_reply_is_not_sent_only_where_that_is_proven(
    never_left: bool, outcome: Outcome, again: Again
) -> None:
    answer = answer_to_create(NoReply(never_left, "ReadTimeout"), Redaction())

    assert (answer.outcome, answer.again) == (outcome, again)
