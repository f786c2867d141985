"""The list of documents over HTTP: paged, narrowed, and refused where it makes no sense."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from fixtures.stage import Stage
from tests.crash.plans import ONE_AD, ads
from tests.integration.web.in_process import asked
from tests.integration.web.page import scenes
from tests.integration.web.test_documents import DOCUMENTS, code_of, submitted


def test_a_list_is_paged_while_documents_arrive(stage: Stage) -> None:
    ids = [stage.submit(ads(f"Spring / {n}")) for n in range(5)]
    stage.time.pass_(timedelta(seconds=1))

    async def asking(client: httpx.AsyncClient) -> list[list[str]]:
        pages: list[list[str]] = []
        query: dict[str, Any] = {"limit": 2}
        while not pages or query["after"]:
            answer = (await client.get(DOCUMENTS, params=query)).json()
            assert answer["counts"]["draft"] == 5 + len(pages)
            pages.append([one["document_id"] for one in answer["documents"]])
            query["after"] = answer["after"]
            await submitted(client, ads(f"Late / {len(pages)}"))
        return pages

    pages = asked(stage, asking)

    assert [len(page) for page in pages] == [2, 2, 1]
    assert [one for page in pages for one in page] == ids[::-1]


def test_a_list_is_narrowed_by_state_and_account(stage: Stage) -> None:
    published = stage.submit(ONE_AD)
    stage.publish(published)
    stage.submit(ads("Spring / 2"))

    async def asking(client: httpx.AsyncClient) -> list[Any]:
        queries = ({"state": "published"}, {"account_id": "1001"}, {"account_id": "act_7"})
        return [(await client.get(DOCUMENTS, params=query)).json() for query in queries]

    by_state, by_account, none = asked(stage, asking)

    assert [one["document_id"] for one in by_state["documents"]] == [published]
    assert by_state["counts"] == {"published": 1}
    assert by_account["counts"] == {"draft": 1, "published": 1}
    assert (none["counts"], none["documents"], none["after"]) == ({}, [], None)


def test_a_list_is_narrowed_by_a_kind_and_by_what_a_look_said_of_an_item(stage: Stage) -> None:
    rescued = scenes.rescued(stage)
    draft = stage.submit(ads("Spring / 2"))

    async def asking(client: httpx.AsyncClient) -> list[Any]:
        queries = (
            {"kind": "ad"},
            {"kind": "campaign"},
            {"verdict": "found"},
            {"verdict": "found", "kind": "ad", "state": "published"},
            {"verdict": "inconclusive"},
        )
        return [(await client.get(DOCUMENTS, params=query)).json() for query in queries]

    found = asked(stage, asking)

    ids = [[one["document_id"] for one in each["documents"]] for each in found]
    assert ids == [[draft, rescued], [], [rescued], [rescued], []]
    assert [sum(each["counts"].values()) for each in found] == [2, 0, 1, 1, 0]


@pytest.mark.parametrize(
    "query",
    [{"limit": 0}, {"limit": 201}, {"state": "broken"}, {"account_id": "x"}, {"after": "x"},
     {"kind": "adgroup"}, {"verdict": "held"}],
)  # fmt: skip
def test_a_query_that_makes_no_sense_is_refused(stage: Stage, query: dict[str, Any]) -> None:
    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(DOCUMENTS, params=query)

    assert code_of(asked(stage, asking)) == (422, "invalid_request")


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("stat=draft", "stat"),
        ("state=draft&state=draft", "state"),
        ("limit=5&limit=6", "limit"),
        ("state=draft&Limit=5", "Limit"),
    ],
)
def test_a_query_with_a_slip_or_a_repeated_word_is_refused_by_its_name(
    stage: Stage, query: str, named: str
) -> None:
    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(f"{DOCUMENTS}?{query}")

    answer = asked(stage, asking)

    assert code_of(answer) == (422, "invalid_request")
    assert [fault["field"] for fault in answer.json()["errors"]] == [named]
