"""The next step of a problem names the request that does it, where there is one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from adapters.web.next_said import said_to_a_client
from fixtures.stage import Stage
from reconciler.typed_command import typed_command
from tests.crash.plans import ONE_AD
from tests.integration.web.in_process import asked
from tests.integration.web.test_documents import DOCUMENTS

ODD = "jobs/7, März"


def about(document_id: str | None) -> Any:
    """A request, as far as it matters here."""
    params = {} if document_id is None else {"document_id": document_id}
    return SimpleNamespace(state=SimpleNamespace(collection=DOCUMENTS), path_params=params)


@pytest.mark.parametrize(
    ("document_id", "typed", "sent"),
    [
        ("d1", "reconciler show d1", "GET {all}/d1"),
        ("d1", "reconciler show d1, then submit it again", "GET {all}/d1, then submit it again"),
        ("d1", "reconciler explain d1, then reconciler recover d1",
         "GET {all}/d1/evidence, then reconciler recover d1"),
        ("d1", "reconciler publish d1", "POST {all}/d1/publish"),
        ("d1", "reconciler show d1 --refresh", "reconciler show d1 --refresh"),
        (ODD, typed_command("explain", ODD), "GET {all}/jobs%2F7%2C%20M%C3%A4rz/evidence"),
        (None, "reconciler show d1, then submit it again", "GET {all}/d1, then submit it again"),
        ("-o'b", typed_command("show", "-o'b"), "GET {all}/-o%27b"),
        ("-d", typed_command("show", "-d", options="--refresh"), "reconciler show --refresh -- -d"),
        (None, typed_command("show", ODD), f"reconciler show '{ODD}'"),
        (None, typed_command("show", "-d"), "reconciler show -- -d"),
        (None, "reconciler show a b", "reconciler show a b"),
        ("d1", "reconciler show d11", "GET {all}/d11"),
        ("d1", "reconciler resolve --help", "GET /openapi.json says what a decision may hold"),
        ("d1", "as a new document: reconciler submit PLAN.json", "as a new document: POST {all}"),
        (None, "reconciler submit PLAN.json --new",
         "POST {all} under an Idempotency-Key that is new"),
        ("d1", "reconciler doctor", "reconciler doctor"),
        ("d1", "mend the request", "mend the request"),
    ],
)  # fmt: skip
def test_a_command_is_told_as_the_request_that_does_the_same(
    document_id: str | None, typed: str, sent: str
) -> None:
    told = said_to_a_client(typed, about(document_id))

    assert told == sent.format(all=DOCUMENTS)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            {"decision": "none", "external_id": "5"},
            "GET /openapi.json says what a decision may hold",
        ),
        ({"decision": "hold"}, "GET {one}"),
    ],
)
def test_a_decision_that_is_refused_names_a_request(
    stage: Stage, body: dict[str, Any], says: str
) -> None:
    one = f"{DOCUMENTS}/{stage.submit(ONE_AD)}"

    async def asking(client: httpx.AsyncClient) -> Any:
        sent = {"reason": "seen", **body}
        return (await client.post(f"{one}/items/a1/resolution", json=sent)).json()

    assert asked(stage, asking)["next"] == says.format(one=one)
