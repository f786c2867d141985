"""The service against its own OpenAPI document, by Schemathesis with every check it has.

`HTTP_EXAMPLES=200 scripts/test tests/integration/web/test_openapi.py` tries harder.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest
import schemathesis
from fastapi import FastAPI, Request
from schemathesis.checks import CHECKS
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import from_schema
from schemathesis.engine.events import FatalError, NonFatalError, ScenarioFinished

from adapters.web import Access, KeyAccess, Principal, Scope, create_app
from adapters.web.loopback import ServiceAccess
from adapters.web.pace import Pace
from fixtures.stage import Stage
from tests.crash.plans import ONE_AD
from tests.integration.web.in_process import service_on
from tests.integration.web.keyed import key_for

EXAMPLES: Final = int(os.environ.get("HTTP_EXAMPLES", "3"))
SEED: Final = 1

NOT_OF_ONE_REQUEST: Final = {"max_response_time", "object_level_authorization"}
"""The first measures the machine. The second compares two users, which test_access does."""

PLAN_REFUSED: Final = ["2xx", "401", "403", "404", "409", "422", "429"]
"""Of a plan: no schema can say that a $ref names another item, or that a parent is missing."""


def freely() -> Pace:
    return Pace(per_second=1e9, burst=1e9)


def by_key(stage: Stage) -> tuple[FastAPI, str]:
    """The service with every limit of frequency taken off, and a key that may do all."""
    service = service_on(stage)
    keys = KeyAccess(service, stage.time.now, failures=freely())
    app = create_app(service, access=ServiceAccess(keys, host="0.0.0.0"), pace=freely())
    return app, key_for(stage, Scope.ADMIN)


def tried(
    app: FastAPI, key: str, examples: int, *, method: str | None = None, path: str | None = None
) -> Iterator[ScenarioFinished]:
    """Every scenario that was played; errors of the tool itself are raised."""
    config = SchemathesisConfig.from_dict(
        {
            "seed": SEED,
            "headers": {"Authorization": f"Bearer {key}"},
            "generation": {"max-examples": examples, "database": "none", "deterministic": True},
            "operations": [
                {
                    "include-path": "/v1/documents",
                    "include-method": "POST",
                    "checks": {"positive_data_acceptance": {"expected-statuses": PLAN_REFUSED}},
                }
            ],
        }
    )
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, config=config)
    chosen = schema.include(method=method, path=path) if method or path else schema
    for event in from_schema(chosen).execute():
        assert not isinstance(event, FatalError | NonFatalError), event
        if isinstance(event, ScenarioFinished):
            yield event


def complaints(scenario: ScenarioFinished) -> Iterator[str]:
    for checks in scenario.recorder.checks.values():
        for check in checks:
            if check.failure_info is not None:
                failed = check.failure_info
                told = f"{failed.failure}\n{failed.code_sample}"
                yield f"{scenario.recorder.label}: {check.name}: {told}"


@pytest.mark.timeout(3_000)
def test_the_service_does_what_its_openapi_document_says(stage: Stage) -> None:
    stage.submit(ONE_AD)
    app, key = by_key(stage)
    made: Counter[str] = Counter()
    wrong: list[str] = []

    for scenario in tried(app, key, EXAMPLES):
        wrong += complaints(scenario)
        made.update(c.name for each in scenario.recorder.checks.values() for c in each)

    assert "\n\n".join(wrong) == ""
    assert set(CHECKS.get_all_names()) - set(made) <= NOT_OF_ONE_REQUEST


def test_a_service_that_lets_everybody_in_is_noticed(stage: Stage) -> None:
    async def everybody(_: Request) -> Principal:
        return Principal.everything("everybody")

    access: Access = everybody
    app = create_app(service_on(stage), access=access, pace=freely())

    played = tried(app, "x", 1, method="GET", path="/v1/documents")
    wrong = [line for scenario in played for line in complaints(scenario)]

    assert any("ignored_auth" in line for line in wrong)


def test_the_document_says_who_looks_for_what_an_attempt_left_unanswered(stage: Stage) -> None:
    told: dict[str, Any] = by_key(stage)[0].openapi()

    answers = told["paths"]["/v1/documents/{document_id}/publish"]["post"]["responses"]
    assert "the next read, a worker or a sweep" in answers["202"]["description"]


def test_the_document_has_an_example_of_every_shape(stage: Stage) -> None:
    told: dict[str, Any] = by_key(stage)[0].openapi()

    shapes = ("Document", "DocumentsList", "Explanation", "Timeline")
    assert all(told["components"]["schemas"][shape]["examples"] for shape in shapes)
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            sent = operation.get("requestBody", {}).get("content", {})
            assert all(one["schema"]["examples"] for one in sent.values()), (method, path)
