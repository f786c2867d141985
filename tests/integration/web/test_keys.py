"""Keys of the service: what is kept of one, when it opens, and when it no longer does."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.store.keys import KeptKey
from adapters.web import Scope
from adapters.web.keys import FAILURES_BURST, REFRESH_EVERY, USE_NOTED_EVERY, new_key
from adapters.web.origins import is_loopback
from fixtures.stage import Stage
from fixtures.virtual_time import START
from tests.databases import opened
from tests.integration.web.keyed import YEAR, asked_at, bearing, key_for, ledger_of, statuses


def kept_of(stage: Stage) -> KeptKey:
    [kept] = stage.time.run(ledger_of(stage).keys())
    return kept


async def test_a_key_is_kept_as_its_digest_on_every_database(ledger_url: str) -> None:
    key, kept = new_key("Ops – Ω", [Scope.READ], ["act_1"], lasting=YEAR, now=START)

    async with opened(ledger_url) as ledger:
        await ledger.add_key(kept)
        await ledger.key_used(kept.id)
        first = await ledger.keys()
        revoked = [await ledger.revoke_key(kept.id), await ledger.revoke_key(kept.id)]
        [last] = await ledger.keys()

    assert revoked == [True, False]
    assert (first[0].revoked_at, first[0].used_at is None) == (None, False)
    assert last.revoked_at is not None
    assert last.digest == hashlib.sha256(key.encode()).hexdigest()
    assert key.split("_", 2)[2] not in repr(last)
    assert (last.name, last.scopes, last.accounts) == ("Ops – Ω", "read", "act_1")


def test_no_two_keys_are_alike_and_none_is_short() -> None:
    keys = {new_key("x", [Scope.READ], None, lasting=YEAR, now=START)[0] for _ in range(100)}

    assert len(keys) == 100
    assert min(len(key.split("_", 2)[2]) for key in keys) >= 43


def test_a_revoked_key_opens_nothing_after_five_seconds(stage: Stage) -> None:
    key = bearing(key_for(stage, Scope.READ))
    kept = kept_of(stage)

    async def asking(client: httpx.AsyncClient) -> list[int]:
        before = await statuses(client, key)
        await ledger_of(stage).revoke_key(kept.id)
        await asyncio.sleep(REFRESH_EVERY.total_seconds())
        return before + await statuses(client, key)

    assert asked_at(stage, asking) == [200, 401]


def test_a_key_ends_by_itself(stage: Stage) -> None:
    key = bearing(key_for(stage, Scope.READ, lasting=timedelta(seconds=10)))

    async def asking(client: httpx.AsyncClient) -> list[int]:
        before = await statuses(client, key)
        await asyncio.sleep(10)
        return before + await statuses(client, key)

    assert asked_at(stage, asking) == [200, 401]


def test_the_last_use_is_noted_once_a_minute(stage: Stage) -> None:
    key = bearing(key_for(stage, Scope.READ))
    seen: list[Any] = []

    async def asking(client: httpx.AsyncClient) -> None:
        for wait in (0.0, 1.0, USE_NOTED_EVERY.total_seconds()):
            await asyncio.sleep(wait)
            await statuses(client, key)
            await asyncio.sleep(0)
            seen.append((await ledger_of(stage).keys())[0].used_at)

    asked_at(stage, asking)

    assert seen[0] == seen[1] < seen[2]


def test_guessing_is_slowed_for_an_address(stage: Stage) -> None:
    key_for(stage, Scope.READ)
    guesses = [bearing(f"rk_{number}_x") for number in range(int(FAILURES_BURST) + 10)]

    async def asking(client: httpx.AsyncClient) -> list[int]:
        return await statuses(client, *guesses)

    answers = asked_at(stage, asking)

    assert answers[: int(FAILURES_BURST)] == [401] * int(FAILURES_BURST)
    assert 429 in answers


@pytest.mark.parametrize(
    ("host", "alone"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("example.org", False), ("", False)],
)  # fmt: skip
def test_which_addresses_only_this_machine_reaches(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone


def test_without_keys_this_machine_alone_is_let_in(stage: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> list[int]:
        typed, own_page = {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin"}
        return await statuses(client, {}, {"Origin": "http://localhost:3000"}, typed, own_page)

    assert asked_at(stage, asking, host="127.0.0.1") == [200] * 4
    assert asked_at(stage, asking, host="0.0.0.0") == [401] * 4


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://[x"},
     {"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example"},
     {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "x"},
     {"Sec-Fetch-Site": "", "Sec-Fetch-Dest": "image"},
     {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
     {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
     {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
     {"Sec-Fetch-Site": "same-origin", "Host": "evil.example"}],
)  # fmt: skip
def test_a_page_of_another_site_is_not_let_in_by_its_readers_browser(
    stage: Stage, headers: dict[str, str]
) -> None:
    async def asking(client: httpx.AsyncClient) -> list[int]:
        return await statuses(client, headers)

    assert asked_at(stage, asking, host="127.0.0.1") == [403]


def test_once_there_was_a_key_the_door_does_not_open_by_having_none_left(stage: Stage) -> None:
    key_for(stage, Scope.READ)
    stage.time.run(ledger_of(stage).revoke_key(kept_of(stage).id))

    async def asking(client: httpx.AsyncClient) -> list[int]:
        return await statuses(client, {})

    assert asked_at(stage, asking, host="127.0.0.1") == [401]
