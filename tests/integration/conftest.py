"""Stages on which the real client meets the fake API, and the ledgers that a story may run on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fixtures.memory_ledger import MemoryLedger
from fixtures.stage import OpenLedger, Stage
from tests.crash.postgres_ledgers import stories_on
from tests.crash.promise import assert_promise
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.http_stage import HttpStage, SetUp
from tests.integration.programs import Program
from tests.postgres import Postgres


@pytest.fixture(scope="module")
def postgres_stories(postgres: Postgres) -> Iterator[OpenLedger]:
    url = postgres.migrated()
    with stories_on(url) as opened:
        yield opened
    postgres.drop(url)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def open_ledger(request: pytest.FixtureRequest) -> OpenLedger:
    """For what must be the same wherever it is stored."""
    if request.param == "postgres":
        stories: OpenLedger = request.getfixturevalue("postgres_stories")
        return stories
    return MemoryLedger if request.param == "memory" else sqlite_in_memory


@pytest.fixture
def set_up() -> Iterator[SetUp]:
    """Makes stages, takes them down, and holds each to the promise."""
    with ExitStack() as closing:
        made: list[HttpStage] = []

        def of(**settings: Any) -> HttpStage:
            made.append(HttpStage(**settings))
            closing.callback(made[-1].close)
            return made[-1]

        yield of
        for stage in made:
            assert_promise(stage)


@pytest.fixture
def stage() -> Iterator[Stage]:
    """In process on the world alone, held to the promise at the end."""
    made = Stage()
    yield made
    assert_promise(made)
    made.close()


@pytest.fixture
def program(stage: Stage) -> Program:
    """A program of a user's own, with the guard around its creates."""
    return Program(stage)
