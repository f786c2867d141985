"""What is noticed of the product at work: lines, figures, notices."""

from __future__ import annotations

import io
import json
import logging
import shlex
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.contextvars import bound_contextvars

from adapters.graph.redaction import Redaction
from adapters.observing import REGISTRY, JsonFormatter, Notices, Observer, logger_of
from adapters.observing.notices import notice_of
from reconciler import events
from reconciler.errors import CommitUnknown
from reconciler.model import Account, BlockReason, DocumentState
from reconciler.ports import Anyhow, Change, Event, Fenced
from reconciler.verdict import Evidence
from tests.unit.sample_views import NOW, published

SECRET = "EAACANARYobserved0123456789"


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What the lines that follow say, read when the test is over with writing them."""
    redact = Redaction()
    redact.learn(SECRET)
    stream, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(stream), root.level
    handler.setFormatter(JsonFormatter(redact))
    root.addHandler(handler)
    root.setLevel(logging.INFO)

    class Lines(list[dict[str, Any]]):
        def __iter__(self) -> Iterator[dict[str, Any]]:
            return map(json.loads, stream.getvalue().splitlines())

    yield Lines()
    root.removeHandler(handler)
    root.setLevel(level)


def figure(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"reconciler_{name}", labels) or 0.0


def change_of(*said: Event, **more: Any) -> Change:
    return Change(document=published().document, events=said, **more)


def test_every_line_bears_document_attempt_and_epoch(lines: list[dict[str, Any]]) -> None:
    document = published().document
    said = [Event(kind=kind, item="a1", detail={"more": SECRET}) for kind in sorted(events.ALL)]

    Observer().stored(document, change_of(*said), NOW)

    told = list(lines)
    assert [line["event"] for line in told] == sorted(events.ALL)
    assert {(line["document"], line["attempt"], line["epoch"]) for line in told} == {
        (document.id, len(document.attempts), document.lease_epoch)
    }
    assert SECRET not in json.dumps(told)


def test_a_librarys_line_is_json_too_and_bears_what_is_bound(lines: list[dict[str, Any]]) -> None:
    with bound_contextvars(document="d1"):
        try:
            int(SECRET)
        except ValueError:
            logging.getLogger("somebody").exception("GET /x?access_token=%s", "EAAother")

    [line] = lines
    assert (line["document"], line["level"], line["logger"]) == ("d1", "error", "somebody")
    assert line["event"] == "GET /x?access_token=[redacted]"
    assert "ValueError" in line["traceback"]
    assert SECRET not in json.dumps(line)


def test_a_line_is_text_where_json_was_not_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        logger_of("reconciler.x").info("claimed", document="d1", attempt=None, share="100%")

    assert caplog.messages == ["claimed document=d1 share=100%"]


COUNTED = [
    (Event(kind=events.TAKEN_OVER), "crash_signatures_total", {}),
    (Event(kind=events.TAKEN_OVER), "attempts_total", {"outcome": "orphaned"}),
    (
        Event(kind=events.STATE, detail={"state": "published", "why": "succeeded"}),
        "attempts_total",
        {"outcome": "succeeded"},
    ),
    (
        Event(kind=events.ANSWERED, item="a", detail={"outcome": "unknown"}),
        "creates_total",
        {"outcome": "unknown"},
    ),
    (
        Event(kind=events.LOOKED, item="a", detail={"verdict": "found", "reason": None}),
        "verdicts_total",
        {"verdict": "found", "reason": ""},
    ),
    (
        Event(kind=events.LOOKED, item="a", detail={"verdict": "inconclusive", "reason": "clock"}),
        "listing_incomplete_total",
        {"reason": "clock"},
    ),
    (Event(kind=events.STALE, item="a"), "stale_looks_total", {}),
    (Event(kind=events.SURPLUS, detail={"external_id": "5"}), "surplus_total", {}),
]


@pytest.mark.parametrize(("event", "name", "labels"), COUNTED)
def test_what_became_durable_is_counted(event: Event, name: str, labels: dict[str, str]) -> None:
    before = figure(name, **labels)

    Observer().stored(published().document, change_of(event), NOW)

    assert figure(name, **labels) == before + 1


def test_stages_and_waits_are_counted_too() -> None:
    stages = [{"stage": "mark", "in": 9, "not_ours": 6, "doubt": 1}]
    until = NOW + timedelta(seconds=30)
    closed = Account(id="act_1", reason=BlockReason.THROTTLED, until=until)
    waited = figure("throttle_wait_seconds_total")
    survived = figure("funnel_survivors_sum", stage="mark")
    change = change_of(evidence=(Evidence.of({"stages": stages}),), account=closed)

    Observer().stored(published().document, change, NOW)

    assert figure("funnel_survivors_sum", stage="mark") == survived + 2
    assert figure("throttle_wait_seconds_total") == waited + 30


def test_a_fence_that_held_a_lost_commit_and_a_fault_of_ours_are_counted() -> None:
    names = ("fence_rejections_total", "commit_unknown_total", "invariant_violations_total")
    before = [figure(name) for name in names]
    observer = Observer()

    observer.turned_away("d1", Fenced(owner="w", epoch=1))
    observer.turned_away("d1", Anyhow())
    observer.failed(CommitUnknown("x"))
    observer.failed(AssertionError("x"))

    assert [figure(name) for name in names] == [count + 1 for count in before]


HELD = Event(kind=events.STATE, detail={"state": DocumentState.HELD.value})
EXTRA = Event(kind=events.SURPLUS, item="a1", detail={"external_id": "5", "kind": "ad"})


def test_a_person_is_called_where_one_is_wanted_and_nowhere_else() -> None:
    document = published().document
    said = {
        event.kind: notice_of(document, event)
        for event in (HELD, EXTRA, Event(kind=events.CLAIMED), Event(kind=events.QUEUED))
    }

    assert said[events.CLAIMED] is said[events.QUEUED] is None
    held, extra = said[events.STATE], said[events.SURPLUS]
    assert held is not None
    assert extra is not None
    assert (held["event"], held["next"]) == ("held", f"reconciler explain {document.id}")
    assert (extra["event"], extra["external_id"]) == ("surplus", "5")


async def test_a_notice_is_posted_and_given_to_a_command(tmp_path: Path) -> None:
    posted: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        posted.append(request)
        return httpx.Response(204)

    script = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    command = shlex.join([sys.executable, "-c", script, str(tmp_path / "told")])
    notices = Notices(
        url="https://hooks.example/x", command=command, transport=httpx.MockTransport(answer)
    )
    sent = figure("notices_total", result="sent")

    notices.consider(published().document, [HELD])
    await notices.aclose()

    assert json.loads(posted[0].content)["event"] == "held"
    assert json.loads((tmp_path / "told").read_bytes()) == json.loads(posted[0].content)
    assert figure("notices_total", result="sent") == sent + 2


@pytest.mark.parametrize("command", ["/no/such/program", f"{sys.executable} -c 'exit(3)'"])
async def test_a_notice_that_nobody_takes_is_counted_and_holds_up_nothing(
    command: str, caplog: pytest.LogCaptureFixture
) -> None:
    failed = figure("notices_total", result="failed")
    refusing = httpx.MockTransport(lambda _: httpx.Response(500))
    notices = Notices(url="https://hooks.example/x", command=command, transport=refusing)

    notices.consider(published().document, [HELD])
    await notices.aclose()

    assert figure("notices_total", result="failed") == failed + 2
    assert len(caplog.messages) == 2


async def test_nothing_is_sent_where_nobody_is_to_be_told() -> None:
    before = [figure("notices_total", result=word) for word in ("sent", "failed", "dropped")]
    notices = Notices()

    notices.consider(published().document, [HELD])
    await notices.aclose()

    after = [figure("notices_total", result=word) for word in ("sent", "failed", "dropped")]
    assert after == before
