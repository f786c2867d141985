"""The permissions of a token, as a plain HTTP client reads them: rows, pages and faults."""

from typing import Any

import httpx
import pytest

from fixtures.graph import FakeGraph

PERMISSIONS = "/v26.0/me/permissions"
USUAL = ["ads_management", "ads_read", "business_management", "public_profile"]


async def asked(client: httpx.AsyncClient, **params: str) -> dict[str, Any]:
    told: dict[str, Any] = (await client.get(PERMISSIONS, params=params)).json()
    return told


async def names(client: httpx.AsyncClient, **params: str) -> list[str]:
    return [row["permission"] for row in (await asked(client, **params))["data"]]


async def test_a_token_tells_what_it_was_granted(client: httpx.AsyncClient) -> None:
    told = await asked(client)

    assert told["data"] == [{"permission": name, "status": "granted"} for name in USUAL]
    assert "next" not in told["paging"]


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("permission", "declined"),
        ("permission:status=expired", "expired"),
        ("permission:status=granted", "granted"),
        ("permission:status=missing", None),
    ],
)
async def test_a_permission_may_be_declined_expired_or_not_there(
    graph: FakeGraph, client: httpx.AsyncClient, fault: str, status: str | None
) -> None:
    graph.faults.add(fault)

    told = {row["permission"]: row["status"] for row in (await asked(client))["data"]}

    assert told.get("ads_management") == status
    assert told["ads_read"] == "granted"
    assert await names(client, permission="ads_read") == ["ads_read"]
    assert ("ads_management" in await names(client, status="granted")) is (status == "granted")


async def test_faults_of_permissions_add_up(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("permission:of=pages_messaging,status=granted")
    graph.faults.add("permission:of=ads_read,status=missing,count=1")

    assert await names(client) == [USUAL[0], *USUAL[2:], "pages_messaging"]
    assert await names(client) == [*USUAL, "pages_messaging"]


async def test_permissions_come_in_pages_like_every_list(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 1.2 to 1.4: an empty page goes on, `next` alone tells of more."""
    graph.faults.add("empty_page:nth=2")
    pages: list[list[str]] = []
    ends: list[bool] = []
    more = {"limit": "3"}
    for _ in range(3):
        told = await asked(client, **more)
        pages.append([row["permission"] for row in told["data"]])
        ends.append("next" not in told["paging"])
        more["after"] = told["paging"]["cursors"]["after"]

    assert pages == [USUAL[:3], [], USUAL[3:]]
    assert ends == [False, False, True]


async def test_a_cursor_that_was_lost_is_an_error_here_too(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    after = (await asked(client, limit="1"))["paging"]["cursors"]["after"]
    graph.faults.add("lost_cursor")

    assert (await asked(client, after=after))["error"]["code"] == 2642
    assert (await asked(client, after=after))["error"]["code"] == 2642
    assert (await asked(client, after="QVFIWnonsense"))["error"]["code"] == 2642


@pytest.mark.parametrize(
    ("path", "params", "code"),
    [
        (PERMISSIONS, {"fields": "permission,colour"}, 100),
        (PERMISSIONS, {"limit": "none"}, 100),
        (PERMISSIONS, {"status": "perhaps"}, 100),
        ("/v26.0/act_1001/permissions", {}, 2500),
    ],
)
async def test_what_is_no_question_about_permissions_is_refused(
    client: httpx.AsyncClient, path: str, params: dict[str, str], code: int
) -> None:
    assert (await client.get(path, params=params)).json()["error"]["code"] == code


async def test_a_token_without_any_tells_none(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.options.permissions.clear()

    assert await asked(client) == {"data": []}
