"""What an answer says to do next is a request, and a client that sends it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from adapters.web import reconciler_router
from adapters.web.next_request import with_request
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.virtual_time import START
from fixtures.world_graph import Weather
from reconciler import publish
from reconciler.copying import replace
from reconciler.model import NextAction, Reason
from reconciler.ports import Change, LeaseFree
from reconciler.settle import settle
from tests.crash.plans import ONE_AD
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.elsewhere import Elsewhere, line
from tests.integration.held import (
    adopt,
    decide,
    held_before_two_of_ours,
    held_beside_a_stranger,
    none,
    reason_of,
    refusal,
)
from tests.integration.web.in_process import ANYBODY, asked, client_of, service_on
from tests.integration.web.test_documents import DOCUMENTS


@pytest.fixture
def decided_on() -> Iterator[Stage]:
    """One where people decide what nothing proves, so that no promise is held at the end."""
    made = Stage(open_ledger=sqlite_in_memory)
    yield made
    made.close()


def told(stage: Stage, document_id: str, path: str = "") -> Any:
    async def asking(client: httpx.AsyncClient) -> Any:
        return (await client.get(f"{DOCUMENTS}/{document_id}{path}")).json()

    return asked(stage, asking)


def as_told(stage: Stage, sent: dict[str, Any], **filled: Any) -> httpx.Response:
    """What comes of sending it, with what was in capitals filled in."""

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        body = sent["body"] and {**sent["body"], **filled}
        return await client.request(
            sent["method"], sent["path"], headers=sent["headers"], json=body
        )

    answer: httpx.Response = asked(stage, asking)
    return answer


def test_a_draft_says_to_publish_and_that_publishes(stage: Stage) -> None:
    step = told(stage, stage.submit(ONE_AD))["next"]

    assert step["request"]["method"] == "POST"
    assert as_told(stage, step["request"]).json()["state"] == "published"


def test_a_crash_says_to_read_again_and_that_recovers(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))

    step = told(stage, document_id)["next"]
    assert (step["action"], step["request"]["method"]) == ("wait", "GET")
    stage.time.pass_(stage.limits.lease)

    assert as_told(stage, step["request"]).json()["state"] == "published"


def test_a_held_document_leads_to_its_evidence_and_that_to_a_decision(decided_on: Stage) -> None:
    stage = decided_on
    document_id, theirs = held_beside_a_stranger(stage)

    step = told(stage, document_id)["next"]
    assert step["action"] == "decide"
    [item] = as_told(stage, step["request"]).json()["items"]
    none, adopt, hold = item["requests"]
    assert [one["body"]["decision"] for one in (none, adopt, hold)] == ["none", "adopt", "hold"]
    assert len(item["commands"]) == 4  # one is to look again, which a decision does by itself

    decided = as_told(stage, adopt, external_id=theirs, reason="seen in Ads Manager")
    assert decided.status_code == 200, decided.text
    assert decided.json()["state"] == "published"


def test_the_command_and_the_request_of_one_answer_advise_the_same_decision(
    decided_on: Stage,
) -> None:
    stage = decided_on
    document_id, _ = held_beside_a_stranger(stage)

    evidence = told(stage, document_id, "/evidence")
    step, [item] = evidence["next"], evidence["items"]
    likeliest = f"reconciler resolve {document_id} a1 --none --reason TEXT"
    assert step["command"] == told(stage, document_id)["next"]["command"] == likeliest
    assert item["commands"][1] == likeliest  # the first is to look again
    assert step["request"] == item["requests"][0]
    assert step["request"]["body"]["decision"] == "none"

    decided = as_told(stage, step["request"], reason="a colleague's, seen in Ads Manager")
    assert (decided.status_code, decided.json()["items"][0]["state"]) == (200, "absent")


def test_a_decision_is_refused_while_our_word_stands_in_the_place_of_the_reason(
    decided_on: Stage,
) -> None:
    """An id that is not filled in is refused as no id; the reason is as much a person's to say."""
    stage = decided_on
    document_id, theirs = held_beside_a_stranger(stage)
    [item] = told(stage, document_id, "/evidence")["items"]

    for sent in item["requests"]:
        filled = {"external_id": theirs} if "external_id" in sent["body"] else {}
        refused = as_told(stage, sent, **filled)
        assert (refused.status_code, refused.json()["code"]) == (409, "decision_refused")
        assert "write why in its place" in refused.json()["detail"]

    assert reason_of(stage, document_id) is Reason.ECHO_UNPROVEN


def test_what_is_too_many_is_not_recorded_as_known_without_a_reason(decided_on: Stage) -> None:
    stage = decided_on
    document_id, (first, _) = held_before_two_of_ours(stage)
    decide(stage, document_id, adopt(first))

    refused = as_told(stage, told(stage, document_id)["next"]["request"])

    assert (refused.status_code, refused.json()["code"]) == (409, "decision_refused")
    assert not any(extra.known for extra in stage.document(document_id).surplus)


def test_a_decision_about_no_item_of_the_document_is_not_found(decided_on: Stage) -> None:
    document_id, _ = held_beside_a_stranger(decided_on)
    body = {"decision": "hold", "reason": "asked the agency"}
    sent = {
        "method": "POST",
        "path": f"{DOCUMENTS}/{document_id}/items/zz/resolution",
        "headers": {},
        "body": body,
    }

    refused = as_told(decided_on, sent)

    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_item")
    assert refused.json()["next"] == f"GET {DOCUMENTS}/{document_id}"


def held_as_poison(stage: Stage, *, judged_before: bool) -> str:
    """Every look at it died, as often as is allowed; before them one may have come too soon."""
    document_id = stage.submit(ONE_AD)
    dying = stage.worker(DiesAt(effect="graph.create")).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)
    if judged_before:
        stage.settle(document_id)
        stage.time.pass_(stage.limits.late_landing + stage.limits.listing_lag)
    for _ in range(stage.limits.max_attempts + 1):
        stage.dies(settle(document_id, stage.worker(DiesAt(effect="graph.walk")).outside))
        stage.time.pass_(stage.limits.lease)
    stage.run_until_rest(document_id)
    assert reason_of(stage, document_id) is Reason.POISON
    return document_id


@pytest.mark.parametrize("judged_before", [False, True])
def test_what_no_look_settled_leads_to_no_request_but_to_the_command_that_looks(
    decided_on: Stage, judged_before: bool
) -> None:
    """No read looks at what is held, and without a listing nothing can be decided."""
    stage = decided_on
    document_id = held_as_poison(stage, judged_before=judged_before)

    for path in ("", "/evidence"):
        answer = told(stage, document_id, path)
        assert answer["next"]["command"] == f"reconciler recover {document_id}"
        assert answer["next"]["request"] is None
    assert bool(told(stage, document_id, "/evidence")["items"]) is judged_before

    stage.time.pass_(stage.limits.late_landing + stage.limits.listing_lag)
    stage.time.run(settle(document_id, stage.process(), asked=True))
    assert told(stage, document_id)["next"]["request"]["path"].endswith("/publish")


def test_a_decision_without_a_listing_is_refused_in_true_words(decided_on: Stage) -> None:
    document_id = held_as_poison(decided_on, judged_before=False)

    refused = refusal(decided_on, document_id, none())

    assert refused == "no look for a1 came to its end yet: there is no listing to decide on"


def test_of_two_of_ours_one_may_be_adopted_and_the_other_recorded(decided_on: Stage) -> None:
    stage = decided_on
    document_id, [first, second] = held_before_two_of_ours(stage)

    [item] = told(stage, document_id, "/evidence")["items"]
    both = item["requests"][1]
    assert both["body"]["also"] == ["ID"]

    decided = as_told(stage, both, external_id=first, also=[second], reason="both are ours")
    assert decided.status_code == 200, decided.text
    assert decided.json()["surplus"][0]["known"] is True


def with_surplus(stage: Stage) -> tuple[str, list[str]]:
    """Published, and a second entity beside its own that nobody recorded as known."""
    document_id, made = held_before_two_of_ours(stage)
    decide(stage, document_id, adopt(made[0]))
    return document_id, made


def test_surplus_leads_to_what_records_it_as_known_and_that_ends_it(decided_on: Stage) -> None:
    stage = decided_on
    document_id, [first, second] = with_surplus(stage)

    step = told(stage, document_id)["next"]
    assert (step["action"], step["request"]["method"]) == ("decide", "POST")
    assert step["request"]["body"] == {
        "decision": "adopt", "reason": "TEXT", "external_id": first, "also": [second],
    }  # fmt: skip
    evidence = told(stage, document_id, "/evidence")
    assert evidence["next"]["request"] == step["request"]
    assert evidence["items"][0]["requests"] == [step["request"]]

    known = as_told(stage, step["request"], reason="both are to run")
    assert (known.status_code, known.json()["next"]["action"]) == (200, "none")
    assert known.json()["surplus"][0]["known"] is True


def fits_none(stage: Stage) -> str:
    """Its surplus fits none of its items: there is nothing to record it beside."""
    document_id, _ = with_surplus(stage)
    document = stage.document(document_id)
    surplus = (replace(document.surplus[0], item=None),)
    stage.time.run(
        stage.ledger.change(
            document_id,
            LeaseFree(),
            lambda view: Change(document=replace(view.document, surplus=surplus)),
        )
    )
    return document_id


@pytest.mark.parametrize(
    "scene",
    [lambda stage: held_beside_a_stranger(stage)[0], lambda stage: with_surplus(stage)[0],
     fits_none],
    ids=["held", "surplus", "surplus of none"],
)  # fmt: skip
def test_what_to_decide_is_never_to_ask_the_same_again(
    decided_on: Stage, scene: Callable[[Stage], str]
) -> None:
    document_id = scene(decided_on)
    one = f"{DOCUMENTS}/{document_id}"

    for place in (one, f"{one}/evidence"):
        step = told(decided_on, document_id, place.removeprefix(one))["next"]
        sent = step["request"]
        assert step["action"] == "decide"
        assert sent is None or (sent["method"], sent["path"]) not in [("GET", place), ("GET", one)]


@pytest.mark.parametrize("key", ["spring", "spring sale", '"spring"'])
def test_a_mended_plan_is_sent_under_the_documents_own_key(stage: Stage, key: str) -> None:
    titled = {**ONE_AD, "title": "Spring, north"}
    refused = {**titled, "items": [{**ONE_AD["items"][0], "params": {"creative": {}}}]}
    document_id = stage.submit(refused, key=key)
    stage.publish(document_id)

    step = told(stage, document_id)["next"]
    assert step["action"] == "fix_input"
    assert step["request"]["body"] == {"schema": "plan/1", **titled, "items": "ITEMS"}

    answer = as_told(stage, step["request"], items=ONE_AD["items"])
    assert (answer.status_code, answer.json()["revision"]) == (200, 2)
    assert answer.json()["document_id"] == document_id
    kept = {name: answer.json()[name] for name in ("account_id", "container", "title")}
    assert {**kept, "items": ONE_AD["items"]} == titled


def test_a_mended_plan_of_campaigns_names_no_container(stage: Stage) -> None:
    campaign = {"key": "c", "kind": "campaign", "name": "Spring", "params": {"objective": "X"}}
    stage.sky.by_name["Spring"] = Weather.INVALID
    document_id = stage.submit({"account_id": "act_1001", "items": [campaign]}, key="spring")
    stage.publish(document_id)

    sent = told(stage, document_id)["next"]["request"]
    assert sent["body"] == {"schema": "plan/1", "account_id": "act_1001", "items": "ITEMS"}
    mended = {**campaign, "params": {"objective": "OUTCOME_TRAFFIC"}}
    assert as_told(stage, sent, items=[mended]).json()["revision"] == 2


def test_a_line_of_the_list_says_it_too_and_nothing_is_said_where_all_is_done(
    stage: Stage,
) -> None:
    stage.publish(stage.submit(ONE_AD, key="done"))
    held_beside_a_stranger(stage)
    draft = stage.submit(ONE_AD, key="later")

    async def asking(client: httpx.AsyncClient) -> Any:
        return (await client.get(DOCUMENTS)).json()["documents"]

    lines = {one["state"]: one["next"]["request"] for one in asked(stage, asking)}

    assert lines["published"] is None
    assert lines["held"]["path"].endswith("/evidence")
    assert lines["draft"]["path"] == f"{DOCUMENTS}/{draft}/publish"


def test_the_path_is_right_wherever_the_routes_are_mounted(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    service = service_on(stage)
    app, inner = FastAPI(), FastAPI()
    inner.include_router(reconciler_router(service, access=ANYBODY), prefix="/ads")
    app.mount("/käse", inner)

    async def asking() -> list[int]:
        async with client_of(app, service) as client:
            read = await client.get(f"/k%C3%A4se/ads{DOCUMENTS}/{document_id}")
            sent = read.json()["next"]["request"]
            assert sent["path"].startswith("/k%C3%A4se/ads/")
            done = await client.request(sent["method"], sent["path"])
            return [read.status_code, done.status_code]

    assert stage.time.run(asking()) == [200, 200]


def test_what_may_still_run_elsewhere_is_not_polled_for_it_waits_for_an_import(
    decided_on: Stage,
) -> None:
    stage = decided_on
    stage.time.pass_(timedelta(hours=1))
    Elsewhere(stage).imports(line("live", "A"), gone_before=START - timedelta(days=1))

    async def asking(client: httpx.AsyncClient) -> list[Any]:
        cancelled = await client.post(f"{DOCUMENTS}/live/cancel")
        assert cancelled.status_code == 202
        read = await client.get(f"{DOCUMENTS}/live")
        [listed] = (await client.get(DOCUMENTS)).json()["documents"]
        return [cancelled.json(), read.json(), listed]

    for shape in asked(stage, asking):
        step = shape["next"]
        assert step["command"].startswith("reconciler import FILE")
        assert (step["action"], step["request"]) == ("wait", None)


@pytest.mark.parametrize("action", [NextAction.ROTATE_TOKEN, NextAction.RAISE_LIMIT])
def test_what_is_for_who_runs_the_service_is_no_request(action: NextAction) -> None:
    step = {"action": action.value, "command": "reconciler doctor"}
    shape = {"document_id": "7", "state": "held", "next": step}

    class Anywhere:
        class state:  # noqa: N801 - as the framework has it
            collection = DOCUMENTS

    assert with_request(shape, Anywhere)["next"] == {**step, "request": None}  # type: ignore[arg-type]
