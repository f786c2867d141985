"""`document-state/1`, `list/1`: exactly the listed fields, values other programs can rely on."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from adapters.legacy.handing_back import lines
from adapters.shapes import counted, document_state, documents_list, next_command
from reconciler.model import (
    Account,
    BlockReason,
    Container,
    ContainerKind,
    DocumentState,
    ItemState,
    Next,
    NextAction,
    Outcome,
    Reason,
)
from reconciler.ports import Summary, View
from tests.unit import sample_views as sample

FIELDS = {
    "": "schema document_id key revision origin account_id container state crashed unsettled "
    "cancel_requested since due_at items attempts lease surplus verdicts next",
    "items": "key kind name state external_id effective_status created_time attributes found_by "
    "warnings",
    "attempts": "number lease_epoch owner started_at finished_at lease_until outcome error",
    "lease": "owner epoch until purpose",
    "surplus": "item external_id",
    "verdicts": "item verdict reason judged_at evidence_id evidence_hash",
    "next": "action until why command",
    "container": "kind id",
}
ALL = {
    "published": sample.published(),
    "rescued": sample.rescued(),
    "crashed": sample.crashed(),
    "publishing": sample.publishing(),
    "unsettled": sample.unsettled(),
    "held": sample.held(),
    "failed": sample.failed(),
    "surplus": sample.with_surplus(),
    "draft": sample.view(DocumentState.DRAFT),
}


def each(state: dict[str, Any], part: str) -> list[dict[str, Any]]:
    value = state[part] if part else state
    return [one for one in (value if isinstance(value, list) else [value]) if one is not None]


@pytest.mark.parametrize("name", ALL)
def test_every_listed_field_is_there(name: str) -> None:
    state = document_state(ALL[name])

    for part, fields in FIELDS.items():
        for one in each(state, part):
            assert set(fields.split()) <= one.keys(), part


@pytest.mark.parametrize("name", ALL)
def test_the_shape_is_plain_json(name: str) -> None:
    state = document_state(ALL[name])

    assert json.loads(json.dumps(state)) == state


def times_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [time for key, one in value.items() if key != "attributes" for time in times_in(one)]
    if isinstance(value, list):
        return [time for one in value for time in times_in(one)]
    is_time = isinstance(value, str) and value[:4].isdigit() and "T" in value
    return [value] if is_time else []


@pytest.mark.parametrize("name", ALL)
def test_every_time_is_utc_with_its_zone(name: str) -> None:
    times = times_in(document_state(ALL[name]))

    assert times
    for time in times:
        assert time.endswith("Z")
        assert datetime.fromisoformat(time).utcoffset() == timedelta(0)


def test_a_healthy_document_whole() -> None:
    assert document_state(sample.published()) == {
        "schema": "document-state/1",
        "document_id": "01KKBXJ7XTPJ3S7TQ4W0DYVWGA",
        "key": "spring",
        "title": None,
        "revision": 1,
        "origin": "ours",
        "account_id": "act_1001",
        "container": {"kind": "adset", "id": "2001"},
        "state": "published",
        "crashed": False,
        "unsettled": False,
        "cancel_requested": False,
        "since": "2026-03-10T12:02:04.250000Z",
        "due_at": None,
        "items": [
            {
                "key": "a1",
                "kind": "ad",
                "name": "Spring / 1",
                "state": "confirmed",
                "reason": None,
                "external_id": "23851",
                "effective_status": None,
                "created_time": None,
                "attributes": None,
                "found_by": "reply",
                "unlisted_since": None,
                "warnings": [],
                "error": None,
            }
        ],
        "attempts": [
            {
                "number": 1,
                "lease_epoch": 1,
                "owner": "host-17-abc",
                "started_at": "2026-03-10T12:02:04.250000Z",
                "finished_at": "2026-03-10T12:02:06.250000Z",
                "lease_until": "2026-03-10T12:04:04.250000Z",
                "outcome": "succeeded",
                "error": None,
            }
        ],
        "lease": None,
        "surplus": [],
        "verdicts": [],
        "next": {
            "action": "none",
            "until": None,
            "why": "everything it wants exists and is recorded",
            "command": None,
        },
    }


def test_what_a_look_found_is_shown_as_the_api_gave_it() -> None:
    (item,) = document_state(sample.rescued())["items"]

    assert item["found_by"] == "mark"
    assert item["attributes"] == {"id": "23851", "name": "Spring / 1", "status": "PAUSED"}
    assert item["created_time"] == "2026-03-10T12:02:05.250000Z"
    assert item["effective_status"] == "PAUSED"
    assert item["warnings"] == ["status is PAUSED, sent was ACTIVE"]


def test_a_crash_is_shown_by_name_although_the_stored_next_step_says_wait() -> None:
    live = sample.publishing()
    later = replace(live, now=sample.NOW + timedelta(minutes=5))

    assert document_state(live)["next"]["action"] == "wait"
    assert document_state(later)["crashed"] is True
    assert document_state(later)["next"]["action"] == "recover"


def test_a_missing_container_is_the_account_whatever_way_its_id_was_written() -> None:
    account = Container(kind=ContainerKind.ACCOUNT, id="1001")
    view = sample.view(DocumentState.DRAFT, container=account, account_id="1001")

    state = document_state(view)

    assert state["container"] == {"kind": "account", "id": "act_1001"}
    assert state["account_id"] == "act_1001"


ID = "01KKBXJ7XTPJ3S7TQ4W0DYVWGA"
CLOSED = Account(id="act_1001", reason=BlockReason.ACCESS, token_print="x")
QUEUED = sample.view(DocumentState.QUEUED)
NEXT = [
    (sample.view(DocumentState.DRAFT), "publish", f"reconciler publish {ID}"),
    (QUEUED, "publish", f"reconciler publish {ID}"),
    (sample.unsettled(60), "wait", f"reconciler show {ID}"),
    (sample.unsettled(-60), "recover", f"reconciler recover {ID}"),
    (sample.publishing(), "wait", f"reconciler show {ID}"),
    (sample.crashed(), "recover", f"reconciler recover {ID}"),
    (sample.view(DocumentState.QUEUED, account=CLOSED), "rotate_token", "reconciler doctor"),
    (sample.held(), "decide", f"reconciler resolve {ID} a1 --adopt EXTERNAL_ID --reason TEXT"),
    (
        sample.held(Reason.ECHO_UNPROVEN),
        "decide",
        f"reconciler resolve {ID} a1 --none --reason TEXT",
    ),
    (
        sample.held(Reason.UNPROVEN_ROW),
        "decide",
        f"reconciler resolve {ID} a1 --adopt EXTERNAL_ID --override --reason TEXT",
    ),
    (sample.held(Reason.POLICY), "decide", f"reconciler recover {ID}"),
    (sample.held(Reason.POISON), "decide", f"reconciler recover {ID}"),
    (sample.held(Reason.LISTING_INCOMPLETE), "decide", f"reconciler recover {ID}"),
    (sample.held(Reason.OVER_CAP), "raise_limit", f"reconciler recover {ID}"),
    (sample.failed(), "fix_input", "reconciler submit PLAN.json --key spring"),
    (sample.published(), "none", None),
    (sample.with_surplus(), "decide", f"reconciler show {ID}"),
    (sample.with_surplus(known=True), "none", None),
]


def test_one_that_is_held_by_policy_has_the_whole_document_looked_at_first() -> None:
    """Once the finished documents are imported a look may settle it without a person."""
    (ambiguous,), (by_policy,) = (
        sample.held(reason).document.items for reason in (Reason.AMBIGUOUS, Reason.POLICY)
    )
    both = sample.view(DocumentState.HELD, ambiguous, replace(by_policy, key="a2"))

    assert next_command(both.document, both.document.next) == f"reconciler recover {ID}"


def test_a_document_of_a_list_comes_without_items_and_names_where_to_look() -> None:
    for view, command in ((sample.held(), "explain"), (sample.with_surplus(), "show")):
        bare = replace(view.document, items=(), surplus=())

        assert next_command(bare, view.document.next) == f"reconciler {command} {ID}"


def test_a_key_that_looks_like_an_option_is_not_read_as_one() -> None:
    (held,) = sample.held().document.items
    odd = sample.view(DocumentState.HELD, replace(held, key="--none"))

    command = next_command(odd.document, odd.document.next)

    assert command == f"reconciler resolve --adopt EXTERNAL_ID --reason TEXT -- {ID} --none"


@pytest.mark.parametrize(("view", "action", "command"), NEXT)
def test_the_next_action_comes_with_the_command_to_type(
    view: View, action: str, command: str | None
) -> None:
    step = document_state(view)["next"]

    assert (step["action"], step["command"]) == (action, command)
    assert step["why"]


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (ItemState.REJECTED, "Invalid parameter"),
        (ItemState.ABSENT, "Invalid parameter"),
        (ItemState.WAITING, None),
    ],
)
def test_an_item_that_was_mended_no_longer_shows_what_was_said_to_it_before(
    state: ItemState, told: str | None
) -> None:
    item = sample.item(state, sample.intent(Outcome.REJECTED))

    shape = document_state(sample.view(DocumentState.FAILED, item))

    assert shape["items"][0]["error"] == told


def test_a_refreshed_item_shows_when_the_api_made_it() -> None:
    row = {"id": "23851", "created_time": "2026-03-10T04:02:05-0800"}
    item = sample.item(ItemState.CONFIRMED, sample.intent(attributes=row))

    shape = document_state(sample.view(DocumentState.PUBLISHED, item))

    assert shape["items"][0]["created_time"] == "2026-03-10T12:02:05Z"


def test_what_is_not_listed_any_more_is_not_said_to_exist() -> None:
    gone = sample.intent(unlisted_since=sample.NOW)
    view = sample.view(
        DocumentState.PUBLISHED,
        sample.item(ItemState.CONFIRMED, gone),
        sample.item(ItemState.CONFIRMED, sample.intent(), key="a2"),
    )

    items = document_state(view)["items"]

    assert counted(items) == "2 of 2 were made and are recorded, 1 not listed any more"
    assert [item["warnings"] for item in items] == [
        ["not in the complete listing of 2026-03-10 12:05:04 UTC: deleted or moved since"],
        [],
    ]


def test_the_status_of_what_is_not_listed_any_more_is_not_told_as_if_it_were() -> None:
    row = {"id": "23851", "name": "Spring / 1", "status": "ACTIVE", "effective_status": "ACTIVE"}
    seen = sample.intent(attributes=row, warnings=("status: sent PAUSED, reads ACTIVE",))
    gone = replace(seen, unlisted_since=sample.NOW)
    items = [
        sample.item(ItemState.CONFIRMED, one, key=key) for key, one in (("a", seen), ("b", gone))
    ]
    view = sample.view(DocumentState.PUBLISHED, *items)

    there, missed = document_state(view)["items"]
    exported = [json.loads(one) for one in lines(view.document, "jsonl")]

    assert there["attributes"] == exported[0]["attributes"] == row
    assert there["warnings"] == ["status: sent PAUSED, reads ACTIVE"]
    assert missed["attributes"] == {"id": "23851", "name": "Spring / 1"}
    assert exported[1]["attributes"] == missed["attributes"]
    assert missed["warnings"][0] == "as last listed, status: sent PAUSED, reads ACTIVE"
    assert "its attributes are as last listed" in missed["warnings"][1]


def test_a_key_that_a_shell_would_split_is_quoted() -> None:
    failed = sample.failed()
    view = replace(failed, document=replace(failed.document, key="spring; rm x"))

    assert document_state(view)["next"]["command"].endswith("--key 'spring; rm x'")


def summary(view: View, *, unsettled: bool = False) -> Summary:
    return Summary(
        document=replace(view.document, items=(), attempts=(), verdicts=(), surplus=()),
        unsettled=unsettled,
        has_surplus=False,
    )


def test_a_list_has_its_counts_and_a_line_for_each_document() -> None:
    counts = {DocumentState.DRAFT: 1, DocumentState.PUBLISHING: 2, DocumentState.HELD: 0}
    lines = [summary(sample.crashed(), unsettled=True), summary(sample.view(DocumentState.DRAFT))]

    shape = documents_list(counts, lines, sample.NOW)

    assert shape["schema"] == "list/1"
    assert shape["counts"] == {"draft": 1, "publishing": 2}
    assert [line["next"]["action"] for line in shape["documents"]] == ["recover", "publish"]
    first = shape["documents"][0]
    fields = "document_id state crashed unsettled account_id since next"
    assert set(fields.split()) <= first.keys()
    assert (first["crashed"], first["unsettled"]) == (True, True)


@pytest.mark.parametrize(
    ("unsettled", "steps"), [(True, ("wait", "recover")), (False, ("publish", "publish"))]
)
def test_a_line_that_waited_for_a_time_says_what_to_do_once_it_came(
    unsettled: bool, steps: tuple[str, str]
) -> None:
    line = summary(sample.unsettled(60), unsettled=unsettled)

    before = documents_list({}, [line], sample.NOW)["documents"][0]["next"]
    after = documents_list({}, [line], sample.NOW + timedelta(seconds=61))["documents"][0]["next"]

    assert (before["action"], after["action"]) == steps
    assert (before["until"] is None, after["until"] is None) == (False, True)


def test_a_line_of_a_closed_account_says_so_and_no_longer_once_it_is_open() -> None:
    view = sample.view(DocumentState.QUEUED, account=CLOSED)
    line = summary(view)

    closed = documents_list({}, [line], sample.NOW, {"act_1001": CLOSED})["documents"][0]["next"]
    renewed = documents_list({}, [line], sample.NOW)["documents"][0]["next"]

    assert (closed["action"], renewed["action"]) == ("rotate_token", "publish")


def test_a_throttle_is_told_on_every_line_of_its_account() -> None:
    until = sample.NOW + timedelta(minutes=5)
    throttled = Account(id="act_1001", reason=BlockReason.THROTTLED, until=until)
    stored = Next(action=NextAction.PUBLISH, why="queued")
    line = summary(sample.view(DocumentState.QUEUED, next=stored))

    step = documents_list({}, [line], sample.NOW, {"act_1001": throttled})["documents"][0]["next"]

    assert step["action"] == "wait"
    assert "throttled" in step["why"]


def test_a_worker_that_was_seen_is_waited_for_in_the_list_too() -> None:
    line = summary(sample.unsettled(60), unsettled=True)
    later = sample.NOW + timedelta(seconds=61)

    step = documents_list({}, [line], later, worker_seen=True)["documents"][0]["next"]

    assert step["action"] == "wait"
