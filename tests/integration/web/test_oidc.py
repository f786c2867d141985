"""Bearer tokens of the company's own sign-in: which are let in, as whom, and how none is forged."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.settings import load_settings
from adapters.web import Scope
from adapters.web.keys import FAILURES_BURST, REFRESH_EVERY, new_failures, new_key
from adapters.web.oidc import token_access
from adapters.web.oidc.claims import Claims
from adapters.web.pace import Pace
from fixtures.stage import Stage
from reconciler.errors import InvalidSettings
from tests.crash.plans import ONE_AD
from tests.integration.held import held_beside_a_stranger
from tests.integration.web.forged_tokens import FORGED, KEEP, at
from tests.integration.web.keyed import bearing, ledger_of, statuses
from tests.integration.web.test_access import BODIES, ENDPOINTS, MAY
from tests.integration.web.test_documents import DOCUMENTS, code_of
from tests.integration.web.token_issuer import (
    AUDIENCE,
    JWKS,
    URL,
    TokenIssuer,
    rsa_key,
)
from tests.integration.web.trusting import tried, trusting


@pytest.mark.parametrize("held", Scope)
def test_each_scope_of_a_token_opens_its_operations_and_no_other(
    stage: Stage, issuer: TokenIssuer, held: Scope
) -> None:
    document_id = stage.submit(ONE_AD)
    token = issuer.token(stage.time.now(), scope=f"openid email reconciler:{held.value}")

    async def asking(client: httpx.AsyncClient) -> dict[tuple[str, str], int]:
        return {
            (method, path): (
                await client.request(
                    method,
                    path.format(id=document_id),
                    json=BODIES.get(path),
                    headers=bearing(token),
                )
            ).status_code
            for method, path in ENDPOINTS
        }

    answers = trusting(stage, issuer, asking)

    refused = {endpoint for endpoint, status in answers.items() if status == 403}
    assert 401 not in answers.values()
    assert refused == {end for end, needed in ENDPOINTS.items() if needed not in MAY[held]}


@pytest.mark.parametrize(
    "scope", [None, "", "openid read publish admin", 5, {"reconciler:read": 1}]
)
def test_a_token_without_a_word_we_know_may_do_nothing(
    stage: Stage, issuer: TokenIssuer, scope: Any
) -> None:
    assert tried(stage, issuer, issuer.token(stage.time.now(), scope=scope)) == [403]


def test_the_settings_say_which_claim_gives_what(stage: Stage, issuer: TokenIssuer) -> None:
    claims = Claims.of(
        load_settings(
            oidc_issuer=URL,
            oidc_audience=AUDIENCE,
            oidc_scope_claim="realm_access.roles",
            oidc_scopes={"ads team": "read"},
        )
    )
    now = stage.time.now()
    tokens = [
        issuer.token(now, realm_access={"roles": ["x", "ads team"]}),
        issuer.token(now, more={"realm_access.roles": ["ads team"]}),
        issuer.token(now, realm_access={"roles": "ads team"}),
        issuer.token(now, realm_access="roles"),
        issuer.token(now),
    ]

    assert tried(stage, issuer, *tokens, claims=claims) == [200, 200, 403, 403, 403]


@pytest.mark.parametrize(
    ("accounts", "sees"),
    [(["act_1001"], True), ("1002 1001", True), ("*", True), (["act_1002", "x"], False),
     (None, False), ([], False), (1001, False), (["act_1001x"], False)],
)  # fmt: skip
def test_a_token_sees_the_accounts_it_names(
    stage: Stage, issuer: TokenIssuer, accounts: Any, sees: bool
) -> None:
    claims = Claims.of(
        load_settings(oidc_issuer=URL, oidc_audience=AUDIENCE, oidc_accounts_claim="accounts")
    )
    document_id = stage.submit(ONE_AD)
    token = issuer.token(stage.time.now(), accounts=accounts)

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        place = f"{DOCUMENTS}/{document_id}"
        return [
            await client.get(place, headers=bearing(token)),
            await client.get(DOCUMENTS, headers=bearing(token)),
        ]

    one, listed = trusting(stage, issuer, asking, claims=claims)

    assert one.status_code == (200 if sees else 404)
    assert len(listed.json()["documents"]) == int(sees)


def test_who_decided_stands_in_the_journal_by_name_and_issuer(
    stage: Stage, issuer: TokenIssuer
) -> None:
    document_id, _ = held_beside_a_stranger(stage)
    token = issuer.token(stage.time.now(), sub="ann@example.org")

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(
            f"{DOCUMENTS}/{document_id}/items/a1/resolution",
            json={"decision": "hold", "reason": "not now"},
            headers=bearing(token),
        )

    assert trusting(stage, issuer, asking).status_code == 200
    journal = stage.time.run(stage.ledger.journal(document_id))
    decided = [entry.event.detail for entry in journal if "by" in entry.event.detail]
    assert [detail["by"] for detail in decided] == ["ann@example.org (issuer.example)"]


def test_a_token_that_is_not_right_in_every_part_opens_nothing(
    stage: Stage, issuer: TokenIssuer
) -> None:
    now = stage.time.now()

    async def asking(client: httpx.AsyncClient) -> dict[str, httpx.Response]:
        return {
            name: await client.get(DOCUMENTS, headers=bearing(forge(issuer, now)))
            for name, forge in FORGED.items()
        }

    answers = trusting(stage, issuer, asking, failures=Pace(1e9, 1e9))

    wrong = {name: answer.text for name, answer in answers.items() if answer.status_code != 401}
    assert wrong == {}
    assert {code_of(answer)[1] for answer in answers.values()} == {"unauthenticated"}
    assert all(each.headers["www-authenticate"].startswith("Bearer ") for each in answers.values())
    assert all(url.startswith("https://issuer.example/") for url in issuer.asked)


@pytest.mark.parametrize(
    "changed",
    [{}, {"aud": ["other", AUDIENCE]}, {"header": {"typ": "at+jwt"}}, {"header": {"typ": None}},
     {"header": {"jku": "https://evil.example/keys", "x5u": "https://evil.example"}}],
)  # fmt: skip
def test_a_right_token_is_let_in_and_its_header_leads_nowhere(
    stage: Stage, issuer: TokenIssuer, changed: dict[str, Any]
) -> None:
    assert tried(stage, issuer, issuer.token(stage.time.now(), **changed)) == [200]
    assert issuer.asked == [f"{URL}/.well-known/openid-configuration", JWKS]


def test_clocks_may_differ_a_little(stage: Stage, issuer: TokenIssuer) -> None:
    now = stage.time.now()
    within = [
        issuer.token(now, exp=at(now, 1 - KEEP)),
        issuer.token(now, nbf=at(now, KEEP)),
        issuer.token(now, iat=at(now, KEEP)),
    ]

    assert tried(stage, issuer, *within) == [200, 200, 200]


def test_keys_and_tokens_are_good_side_by_side_and_nobody_without_either(
    stage: Stage, issuer: TokenIssuer
) -> None:
    async def asking(client: httpx.AsyncClient) -> list[int]:
        before = await statuses(client, {})
        token, lasting = issuer.token(stage.time.now()), timedelta(days=1)
        key, kept = new_key("ops", [Scope.READ], None, lasting=lasting, now=stage.time.now())
        await ledger_of(stage).add_key(kept)
        await asyncio.sleep(REFRESH_EVERY.total_seconds())
        return before + await statuses(client, {}, bearing(key), bearing(token))

    assert trusting(stage, issuer, asking) == [401, 401, 200, 200]


def test_guessing_with_tokens_is_slowed_for_an_address(stage: Stage, issuer: TokenIssuer) -> None:
    wrong = issuer.token(stage.time.now(), key=rsa_key(2))

    answers = tried(stage, issuer, *[wrong] * (int(FAILURES_BURST) + 10))

    assert answers[: int(FAILURES_BURST)] == [401] * int(FAILURES_BURST)
    assert 429 in answers


def test_no_token_stands_in_a_log_an_answer_or_the_ledger(
    stage: Stage, issuer: TokenIssuer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    document_id, _ = held_beside_a_stranger(stage)
    now = stage.time.now()
    tokens = [forge(issuer, now) for forge in FORGED.values()] + [issuer.token(now)]

    async def asking(client: httpx.AsyncClient) -> list[str]:
        told = []
        for token in tokens:
            place = f"{DOCUMENTS}/{document_id}/items/a1/resolution"
            decision = {"decision": "hold", "reason": "not now"}
            answer = await client.post(place, json=decision, headers=bearing(token))
            told.append(answer.text)
        return told

    told = trusting(stage, issuer, asking, failures=Pace(1e9, 1e9))
    journal = repr(stage.time.run(stage.ledger.journal(document_id)))
    everything = "\n".join([*told, caplog.text, journal])

    parts = {part for token in tokens for part in token.split(".")[1:] if len(part) > 20}
    assert len(parts) > 20
    assert [part for part in parts if part in everything] == []
    assert "ann (issuer.example)" in journal


def test_without_the_extra_the_service_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adapters.web.oidc.access.find_spec", lambda name: None)
    settings = load_settings(oidc_issuer=URL, oidc_audience=AUDIENCE)

    with pytest.raises(InvalidSettings, match="not installed") as refused:
        token_access(settings, new_failures())

    assert "reconciler[oidc]" in (refused.value.next_step or "")
    assert token_access(load_settings(), new_failures()) is None


def test_a_scope_that_is_none_of_ours_is_refused_at_the_start() -> None:
    settings = load_settings(oidc_issuer=URL, oidc_audience=AUDIENCE, oidc_scopes={"x": "root"})

    with pytest.raises(InvalidSettings, match="root"):
        token_access(settings, new_failures())
