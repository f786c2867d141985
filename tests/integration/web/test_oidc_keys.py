"""An issuer's keys: which are taken, when they are asked for again, how long they are gone by."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx

from adapters.web.oidc.issuer_keys import ASKED_EVERY, FRESH_FOR, KNOWN_FOR
from fixtures.stage import Stage
from tests.integration.web.forged_tokens import at
from tests.integration.web.keyed import bearing, statuses
from tests.integration.web.test_documents import DOCUMENTS, code_of
from tests.integration.web.token_issuer import JWKS, TokenIssuer, ec_key, rsa_key, told, unsigned
from tests.integration.web.trusting import tried, trusting


def test_keys_of_both_kinds_are_taken_and_no_weak_or_foreign_one(stage: Stage) -> None:
    now = stage.time.now()
    weak, encrypting = rsa_key(3, bits=1024), rsa_key(4)
    issuer = TokenIssuer(
        keys={"one": rsa_key(1), "curve": ec_key(1), "weak": weak},
        extra=[
            {"kty": "oct", "kid": "secret", "k": "c2VjcmV0"},
            {"kty": "RSA", "kid": "broken", "n": 5, "e": "AQAB"},
            told("enc", encrypting, use="enc"),
            told("other", encrypting, alg="RS512"),
            {**told("x", encrypting), "kid": None},
            {},
        ],
    )
    tokens = [
        issuer.token(now),
        issuer.token(now, kid="curve"),
        issuer.token(now, kid="weak"),
        issuer.token(now, kid="enc", key=encrypting),
        issuer.token(now, kid="other", key=encrypting),
        unsigned({"alg": "HS256", "kid": "secret"}, issuer.claims(now)),
    ]

    assert tried(stage, issuer, *tokens) == [200, 200, 401, 401, 401, 401]


def test_a_new_key_is_asked_for_once_and_the_old_one_opens_nothing_then(
    stage: Stage, issuer: TokenIssuer
) -> None:
    async def asking(client: httpx.AsyncClient) -> list[Any]:
        old = bearing(issuer.token(stage.time.now()))
        before = await statuses(client, old)
        await asyncio.sleep(ASKED_EVERY.total_seconds())
        issuer.keys = {"two": rsa_key(2)}
        new = bearing(issuer.token(stage.time.now(), kid="two"))
        return [before, await statuses(client, new, new, old), issuer.asked.count(JWKS)]

    assert trusting(stage, issuer, asking) == [[200], [200, 200, 401], 2]


def test_a_key_that_was_taken_back_opens_nothing_after_ten_minutes(
    stage: Stage, issuer: TokenIssuer
) -> None:
    async def asking(client: httpx.AsyncClient) -> list[int]:
        token = bearing(issuer.token(stage.time.now(), exp=at(stage.time.now(), 9_999)))
        before = await statuses(client, token)
        issuer.keys = {"two": rsa_key(2)}
        await asyncio.sleep(FRESH_FOR.total_seconds())
        return before + await statuses(client, token)

    assert trusting(stage, issuer, asking) == [200, 401]


def test_keys_nobody_knows_make_us_ask_no_more_than_now_and_then(
    stage: Stage, issuer: TokenIssuer
) -> None:
    async def asking(client: httpx.AsyncClient) -> int:
        now = stage.time.now()
        odd = [bearing(issuer.token(now, kid=f"k{n}", key=rsa_key(2))) for n in range(20)]
        await asyncio.gather(*(statuses(client, one) for one in odd))
        return issuer.asked.count(JWKS)

    assert trusting(stage, issuer, asking) == 1


def test_while_the_issuer_is_down_its_keys_go_on_until_their_end(
    stage: Stage, issuer: TokenIssuer
) -> None:
    async def asking(client: httpx.AsyncClient) -> list[Any]:
        async def answered() -> httpx.Response:
            token = issuer.token(stage.time.now())
            return await client.get(DOCUMENTS, headers=bearing(token))

        answers = [await answered()]
        issuer.down = True
        for wait in (FRESH_FOR, KNOWN_FOR - FRESH_FOR - timedelta(seconds=1), timedelta(seconds=1)):
            await asyncio.sleep(wait.total_seconds())
            answers.append(await answered())
        issuer.down = False
        await asyncio.sleep(int(answers[-1].headers["retry-after"]))
        return [*answers, await answered()]

    answers = trusting(stage, issuer, asking)

    assert [answer.status_code for answer in answers] == [200, 200, 200, 503, 200]
    assert code_of(answers[3]) == (503, "issuer_unavailable")


def test_an_issuer_that_never_answered_opens_nothing(stage: Stage, issuer: TokenIssuer) -> None:
    issuer.down = True

    assert tried(stage, issuer, issuer.token(stage.time.now())) == [503]
