"""Documents over HTTP: accepted once, published once, cancelled, decided about."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.shapes import document_state
from adapters.web.bodies import BODY_BYTES_MAX
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.model import DocumentState
from tests.crash.plans import FOUR_ADS, ONE_AD, ads
from tests.integration.web.in_process import asked

DOCUMENTS = "/v1/documents"


async def submitted(client: httpx.AsyncClient, plan: Any = ONE_AD, **headers: str) -> str:
    answer = await client.post(DOCUMENTS, json=plan, headers=headers)
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["document_id"])


def code_of(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == answer.status_code
    assert told["type"] == f"urn:reconciler:problem:{told['code']}"
    assert told["next"]
    return answer.status_code, told["code"]


def test_the_same_key_and_plan_are_the_same_document(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        key = {"Idempotency-Key": "spring"}
        return [await client.post(DOCUMENTS, json=ONE_AD, headers=key) for _ in range(2)]

    first, again = asked(stage, asking)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.json()["key"] == "spring"
    assert first.headers["location"] == f"{DOCUMENTS}/{first.json()['document_id']}"


def test_another_plan_under_a_key_is_its_next_revision_or_is_refused(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        key = {"Idempotency-Key": "spring"}
        document_id = await submitted(client, **key)
        revised = await client.post(DOCUMENTS, json=FOUR_ADS, headers=key)
        assert revised.json()["document_id"] == document_id
        await client.post(f"{DOCUMENTS}/{document_id}/publish")
        other = ads("Another") | {"account_id": "act_1002"}
        return [revised, await client.post(DOCUMENTS, json=other, headers=key)]

    revised, other = asked(stage, asking)

    assert (revised.status_code, revised.json()["revision"]) == (200, 2)
    assert code_of(other) == (422, "key_taken")


def test_what_is_answered_is_what_the_command_line_prints(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)

    async def asking(client: httpx.AsyncClient) -> Any:
        return (await client.get(f"{DOCUMENTS}/{document_id}")).json()

    answered = asked(stage, asking)
    printed = document_state(stage.view(document_id))
    assert answered["next"].pop("request") is None  # nothing is left to do
    assert answered == printed


def test_publishing_answers_when_it_is_done(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(f"{DOCUMENTS}/{await submitted(client)}/publish")

    answer = asked(stage, asking)

    assert (answer.status_code, answer.json()["state"]) == (200, "published")
    assert len(stage.graph.creates) == 1


def test_what_an_attempt_left_unanswered_waits_for_a_read_where_no_worker_is(stage: Stage) -> None:
    """A 202 does not mean that something is under way: without a reader nothing happens."""
    stage.sky.by_number[0] = Weather.ERROR_BEFORE

    async def asking(client: httpx.AsyncClient) -> list[Any]:
        place = f"{DOCUMENTS}/{await submitted(client)}"
        published = await client.post(f"{place}/publish")
        looks = [len(stage.graph.walks)]
        await asyncio.sleep(24 * 60 * 60)
        looks.append(len(stage.graph.walks))
        return [published, await client.get(place), *looks, len(stage.graph.walks)]

    published, read, then, a_day_later, after_the_read = asked(stage, asking)

    assert (published.status_code, published.json()["state"]) == (202, "queued")
    assert published.json()["lease"] is None
    assert then == a_day_later < after_the_read
    assert read.json()["items"][0]["state"] == "absent"


def test_r020_publishing_three_times_while_the_first_create_hangs_sends_one(stage: Stage) -> None:
    """R020: pressing Publish several times publishes several copies."""
    stage.sky.latency = timedelta(seconds=10)

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        place = f"{DOCUMENTS}/{await submitted(client)}"
        started = [asyncio.ensure_future(client.post(f"{place}/publish"))]
        for _ in range(2):
            await asyncio.sleep(0.3)
            started.append(asyncio.ensure_future(client.post(f"{place}/publish")))
        answers = list(await asyncio.gather(*started))
        await asyncio.sleep(20)
        return [*answers, await client.get(place)]

    *answers, last = asked(stage, asking)

    assert [answer.status_code for answer in answers] == [202, 202, 202]
    assert {answer.json()["next"]["action"] for answer in answers} == {"wait"}
    assert last.json()["state"] == "published"
    assert len(last.json()["attempts"]) == 1
    assert len(stage.graph.creates) == 1


def test_an_attempt_outlives_the_client_that_began_it(stage: Stage) -> None:
    stage.sky.latency = timedelta(seconds=1)

    async def asking(client: httpx.AsyncClient) -> str:
        place = f"{DOCUMENTS}/{await submitted(client)}"
        publishing = asyncio.ensure_future(client.post(f"{place}/publish"))
        await asyncio.sleep(0.5)
        publishing.cancel()
        await asyncio.gather(publishing, return_exceptions=True)
        await asyncio.sleep(5)
        return str((await client.get(place)).json()["state"])

    assert asked(stage, asking) == "published"


def test_a_service_that_ends_lets_its_attempts_end_and_hands_the_rest_back(stage: Stage) -> None:
    stage.sky.latency = timedelta(seconds=3)

    async def asking(client: httpx.AsyncClient) -> str:
        document_id = await submitted(client, FOUR_ADS)
        answer = await client.post(f"{DOCUMENTS}/{document_id}/publish")
        assert answer.status_code == 202
        return document_id

    document = stage.document(asked(stage, asking))

    assert (document.state, document.lease) == (DocumentState.QUEUED, None)
    assert len(stage.graph.creates) == 1


def test_r078_a_cancel_is_never_said_to_be_done_while_work_goes_on(stage: Stage) -> None:
    """R078: cancelled right after the start, reported so, and yet the work goes on."""
    stage.sky.latency = timedelta(seconds=3)

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        place = f"{DOCUMENTS}/{await submitted(client, FOUR_ADS)}"
        await client.post(f"{place}/publish")  # answers while its first create is open
        asked_to = await client.post(f"{place}/cancel")
        await asyncio.sleep(30)
        ended = await client.get(place)
        return [asked_to, ended, await client.post(f"{place}/publish")]

    recorded, ended, refused = asked(stage, asking)

    assert (recorded.status_code, recorded.json()["cancel_requested"]) == (202, True)
    assert ended.json()["state"] == "cancelled"
    assert [item["state"] for item in ended.json()["items"]].count("confirmed") == 1
    assert len(stage.graph.creates) == 1
    assert code_of(refused) == (409, "wrong_state")


def test_r078_a_cancel_that_came_too_late_says_so(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        place = f"{DOCUMENTS}/{await submitted(client)}"
        await client.post(f"{place}/publish")
        return await client.post(f"{place}/cancel")

    assert code_of(asked(stage, asking)) == (409, "wrong_state")


def test_r053_ids_above_two_to_the_53_keep_every_digit(stage: Stage) -> None:
    """R053: ids above 2^53 lose their last digits."""
    as_number = 23851234567890123
    plan = ads("Spring / 1")
    plan["items"][0]["params"]["creative"]["creative_id"] = as_number
    plan["container"]["id"] = as_number

    async def asking(client: httpx.AsyncClient) -> str:
        return (await client.post(DOCUMENTS, json=plan)).text

    assert f'"id":"{as_number}"' in asked(stage, asking)


def test_a_plan_with_faults_is_told_all_of_them(stage: Stage) -> None:
    plan = {"account_id": "x", "items": [{"key": "a 1", "kind": "advert", "name": ""}]}

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(DOCUMENTS, json=plan)

    answer = asked(stage, asking)

    assert code_of(answer) == (422, "invalid_plan")
    fields = {fault["field"] for fault in answer.json()["errors"]}
    assert {"account_id", "key", "kind", "name"} <= fields


@pytest.mark.parametrize(
    ("content", "kind", "wanted"),
    [
        (b"{", "application/json", (422, "invalid_plan")),
        (b'{"items": [], "items": []}', "application/json", (422, "invalid_plan")),
        (json.dumps(ONE_AD).encode(), "text/plain", (415, "unsupported_media_type")),
        (json.dumps(ONE_AD).encode(), "", (415, "unsupported_media_type")),
        (b" " * (BODY_BYTES_MAX + 1), "application/json", (413, "body_too_large")),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(
    stage: Stage, content: bytes, kind: str, wanted: tuple[int, str]
) -> None:
    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(DOCUMENTS, content=content, headers={"content-type": kind})

    assert code_of(asked(stage, asking)) == wanted


def test_two_idempotency_keys_are_refused_and_nothing_is_accepted(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        keys = [("Idempotency-Key", "spring"), ("Idempotency-Key", "summer")]
        refused = await client.post(DOCUMENTS, json=ONE_AD, headers=keys)
        return [refused, await client.get(DOCUMENTS)]

    refused, listed = asked(stage, asking)

    assert code_of(refused) == (422, "invalid_request")
    assert refused.json()["errors"][0]["field"] == "Idempotency-Key"
    assert listed.json()["documents"] == []


def test_what_happened_is_told_in_order_with_its_evidence(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)

    async def asking(client: httpx.AsyncClient) -> list[Any]:
        place = f"{DOCUMENTS}/{document_id}"
        return [(await client.get(f"{place}/{part}")).json() for part in ("timeline", "evidence")]

    timeline, evidence = asked(stage, asking)

    kinds = [entry["kind"] for entry in timeline["entries"]]
    assert kinds[:3] == ["submitted", "queued", "claimed"]
    assert [entry["sequence"] for entry in timeline["entries"]] == list(range(1, len(kinds) + 1))
    assert (evidence["schema"], evidence["state"]) == ("explain/1", "published")


DECISION = {"decision": "hold", "reason": "not now"}


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, (409, "decision_refused")),  # nothing was sent of it
        ({"reason": " "}, (409, "decision_refused")),
        (
            {"decision": "adopt", "external_id": "7", "also": ["7"]},
            (409, "decision_refused"),
        ),
        ({"reason": ""}, (422, "invalid_request")),
        ({"decision": "maybe"}, (422, "invalid_request")),
        ({"external_id": 5}, (422, "invalid_request")),
        ({"override": "yes"}, (422, "invalid_request")),
        ({"more": 1}, (422, "invalid_request")),
    ],
)
def test_a_decision_that_cannot_be_carried_out_is_refused(
    stage: Stage, changed: dict[str, Any], wanted: tuple[int, str]
) -> None:
    document_id = stage.submit(ONE_AD)

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        place = f"{DOCUMENTS}/{document_id}/items/a1/resolution"
        return await client.post(place, json=DECISION | changed)

    answer = asked(stage, asking)
    assert code_of(answer) == wanted
    assert "also" not in changed or "cannot be adopted and be beside" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["", "/publish", "/cancel", "/evidence", "/timeline"])
def test_an_unknown_document_is_not_found_wherever_it_is_asked_for(stage: Stage, path: str) -> None:
    method = "POST" if path in ("/publish", "/cancel") else "GET"

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.request(method, f"{DOCUMENTS}/nobody{path}")

    assert code_of(asked(stage, asking)) == (404, "unknown_document")


def test_a_method_that_is_not_there_names_those_that_are(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await client.delete(DOCUMENTS), await client.put(f"{DOCUMENTS}/d1")]

    of_all, of_one = asked(stage, asking)

    assert code_of(of_all) == (405, "method_not_allowed")
    assert of_all.headers["allow"] == "GET, POST"
    assert of_one.headers["allow"] == "GET, HEAD"
    assert of_all.json()["detail"] == "this path does not take that method; it takes GET, POST"
    assert of_one.json()["detail"] == "this path does not take that method; it takes GET, HEAD"


def test_health_and_readiness_ask_nobody_who_they_are(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> list[Any]:
        return [(await client.get(path)).json() for path in ("/healthz", "/readyz")]

    assert asked(stage, asking) == [{"status": "ok"}] * 2
