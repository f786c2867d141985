"""The key of a document in a header: what it may hold, and that what is stored is found again."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from adapters.web.idempotency_key import header_of, key_of
from fixtures.stage import Stage
from tests.crash.plans import ONE_AD
from tests.integration.web.in_process import asked
from tests.integration.web.test_documents import DOCUMENTS, code_of

KEYS = {
    "spring": "spring",
    "a;b=c": "a;b=c",
    'a"b': 'a"b',
    '"spring sale"': "spring sale",
    '"spring"': "spring",
    r'"a \"b\" \\"': 'a "b" \\',
    '" a "': " a ",
    "k" * 200: "k" * 200,
}
"""By the header, the key that it names."""

REFUSED = {
    "": "holds nothing",
    '""': "holds nothing",
    '"  "': "holds nothing",
    "spring sale": "not in quotes",
    '"spring': "no string in quotes",
    '"a"b"': "no string in quotes",
    r'"a\b"': "no string in quotes",
    '"a";b=1': "no string in quotes",
    "käse": "not ASCII",
    '"käse"': "not ASCII",
    "a\tb": "not ASCII",
    "k" * 201: "more than 200",
}


def sent(client: httpx.AsyncClient, header: str | None, plan: Any = ONE_AD) -> Any:
    headers = [] if header is None else [(b"Idempotency-Key", header.encode("utf-8"))]
    return client.post(DOCUMENTS, json=plan, headers=headers)


@pytest.mark.parametrize("header", KEYS)
def test_what_a_header_names_is_stored_and_found_by_it_again(stage: Stage, header: str) -> None:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        first = await sent(client, header)
        again = header_of(first.json()["key"])
        return [first, await sent(client, header), await sent(client, again)]

    answers = asked(stage, asking)

    assert [one.status_code for one in answers] == [201, 200, 200]
    assert {one.json()["key"] for one in answers} == {KEYS[header]}
    assert len({one.json()["document_id"] for one in answers}) == 1


@pytest.mark.parametrize("header", REFUSED)
def test_what_names_no_key_is_refused_with_what_to_send(stage: Stage, header: str) -> None:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await sent(client, header), await client.get(DOCUMENTS)]

    refused, listed = asked(stage, asking)

    assert code_of(refused) == (422, "invalid_request")
    [fault] = refused.json()["errors"]
    assert (fault["field"], REFUSED[header] in fault["problem"]) == ("Idempotency-Key", True)
    assert "in quotes if with spaces" in refused.json()["next"]
    assert listed.json()["documents"] == []


def test_a_key_in_quotes_is_that_of_the_command_line(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD, key="spring sale")

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        answer: httpx.Response = await sent(client, '"spring sale"')
        return answer

    answer = asked(stage, asking)
    assert (answer.status_code, answer.json()["document_id"]) == (200, document_id)


def test_a_document_whose_key_has_the_quotes_in_it_is_not_accepted_a_second_time(
    stage: Stage,
) -> None:
    document_id = stage.submit(ONE_AD, key='"spring"')

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await sent(client, one) for one in ('"spring"', header_of('"spring"'))]

    answers = asked(stage, asking)
    assert [one.json()["document_id"] for one in answers] == [document_id] * 2


@pytest.mark.parametrize("key", ["spring sale", '"', "\\", 'a" \\"', " ", "~!"])
def test_a_header_says_every_key_of_printable_ascii(key: str) -> None:
    header = header_of(key)

    assert header is not None
    if key.strip():
        assert key_of(header) == key


def test_no_header_says_other_letters() -> None:
    assert header_of("käse") is None
