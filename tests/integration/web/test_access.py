"""Which scope opens which operation, and that another account's documents are not there."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from adapters.web import Principal, Scope, create_app
from adapters.web.pace import Pace
from adapters.web.refusals import Refused
from fixtures.stage import Stage
from tests.crash.plans import ONE_AD, ads
from tests.integration.web.in_process import as_principal, asked, service_on
from tests.integration.web.keyed import asked_at, bearing, key_for
from tests.integration.web.test_documents import DOCUMENTS, code_of

PLACE = f"{DOCUMENTS}/{{id}}"

ENDPOINTS: dict[tuple[str, str], Scope] = {
    ("POST", DOCUMENTS): Scope.PUBLISH,
    ("GET", DOCUMENTS): Scope.READ,
    ("GET", PLACE): Scope.READ,
    ("HEAD", PLACE): Scope.READ,
    ("GET", f"{PLACE}/evidence"): Scope.READ,
    ("GET", f"{PLACE}/timeline"): Scope.READ,
    ("POST", f"{PLACE}/publish"): Scope.PUBLISH,
    ("POST", f"{PLACE}/cancel"): Scope.PUBLISH,
    ("POST", f"{PLACE}/items/a1/resolution"): Scope.RESOLVE,
    ("GET", "/metrics"): Scope.ADMIN,
}
"""Every operation, and what it asks for."""

MAY: dict[Scope, set[Scope]] = {
    Scope.READ: {Scope.READ},
    Scope.PUBLISH: {Scope.READ, Scope.PUBLISH},
    Scope.RESOLVE: {Scope.READ, Scope.RESOLVE},
    Scope.ADMIN: {Scope.READ, Scope.PUBLISH, Scope.RESOLVE, Scope.ADMIN},
}

BODIES: dict[str, Any] = {
    DOCUMENTS: ONE_AD,
    f"{PLACE}/items/a1/resolution": {"decision": "hold", "reason": "not now"},
}

OF_ONE = [endpoint for endpoint in ENDPOINTS if "{id}" in endpoint[1]]


def test_the_table_of_scopes_has_every_operation(stage: Stage) -> None:
    app = create_app(service_on(stage), access=as_principal(Principal.everything("x")))

    found = {
        (method.upper(), path.replace("{document_id}", "{id}").replace("{key}", "a1")): scope
        for path, operations in app.openapi()["paths"].items()
        for method, operation in operations.items()
        if (scope := operation.get("x-scope")) or path not in ("/healthz", "/readyz")
    }
    assert found == ENDPOINTS


@pytest.mark.parametrize("held", Scope)
def test_each_scope_opens_its_operations_and_no_other(stage: Stage, held: Scope) -> None:
    document_id = stage.submit(ONE_AD)

    async def asking(client: httpx.AsyncClient) -> dict[tuple[str, str], int]:
        answers = {}
        for method, path in ENDPOINTS:
            place, body = path.format(id=document_id), BODIES.get(path)
            answers[method, path] = (await client.request(method, place, json=body)).status_code
        return answers

    principal = Principal(name="x", scopes=frozenset({held}))
    answers = asked(stage, asking, access=as_principal(principal))

    refused = {endpoint for endpoint, status in answers.items() if status == 403}
    assert refused == {end for end, needed in ENDPOINTS.items() if needed not in MAY[held]}


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_nobody_is_let_in_without_a_key(stage: Stage, method: str, path: str) -> None:
    place, body = path.format(id=stage.submit(ONE_AD)), BODIES.get(path)
    key = key_for(stage, Scope.ADMIN)
    wrong = [{}, bearing("x"), bearing(f"{key}x"), bearing(key[:-1]), {"Authorization": key}]

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await client.request(method, place, json=body, headers=each) for each in wrong]

    for answer in asked_at(stage, asking):
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.parametrize(("method", "path"), OF_ONE)
def test_another_accounts_document_is_as_unknown_as_none(
    stage: Stage, method: str, path: str
) -> None:
    document_id = stage.submit(ONE_AD)
    before = stage.document(document_id)
    key = key_for(stage, Scope.ADMIN, accounts=["act_1002"])

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [
            await client.request(
                method, path.format(id=one), json=BODIES.get(path), headers=bearing(key)
            )
            for one in (document_id, "nobody")
        ]

    theirs, none = asked_at(stage, asking)

    assert (theirs.status_code, none.status_code) == (404, 404)
    assert theirs.text.replace(document_id, "") == none.text.replace("nobody", "")
    assert stage.document(document_id) == before


def test_a_key_of_one_account_lists_and_submits_there_alone(stage: Stage) -> None:
    stage.submit(ONE_AD, key="taken")
    key = bearing(key_for(stage, Scope.PUBLISH, accounts=["act_1002"]))
    mine = ads("Mine") | {"account_id": "1002"}

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        taken = {**key, "Idempotency-Key": "taken"}
        return [
            await client.post(DOCUMENTS, json=ONE_AD, headers=key),
            await client.post(DOCUMENTS, json=mine, headers=taken),
            await client.post(DOCUMENTS, json=mine, headers=key),
            await client.get(DOCUMENTS, headers=key),
            await client.get(DOCUMENTS, headers=key, params={"account_id": "act_1001"}),
        ]

    theirs, taken, made, listed, other = asked_at(stage, asking)

    assert code_of(theirs) == code_of(taken) == (403, "forbidden")
    assert made.status_code == 201
    assert [one["account_id"] for one in listed.json()["documents"]] == ["act_1002"]
    assert listed.json()["counts"] == {"draft": 1}
    assert (other.json()["counts"], other.json()["documents"]) == ({}, [])


def test_who_asks_too_often_is_told_when_to_go_on() -> None:
    seconds = iter([0.0, 0.0, 0.0, 0.4, 0.6])
    pace = Pace(per_second=2, burst=2, now=lambda: next(seconds))

    pace.spend("one")
    pace.spend("one")
    with pytest.raises(Refused) as refused:
        pace.spend("one")
    with pytest.raises(Refused):
        pace.spend("one")
    pace.spend("one")

    assert refused.value.headers == {"Retry-After": "1"}


def test_one_who_asks_too_often_keeps_nobody_else_waiting(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await client.get(DOCUMENTS) for _ in range(3)]

    slow = asked(stage, asking, pace=Pace(per_second=0.001, burst=2))

    assert [answer.status_code for answer in slow] == [200, 200, 429]
    assert code_of(slow[-1]) == (429, "too_many_requests")
    assert int(slow[-1].headers["retry-after"]) > 0
