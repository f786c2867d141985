"""A stage for pages, held to the promise unless a story lies outside its assumptions."""

from collections.abc import Iterator

import pytest

from fixtures.stage import Stage
from fixtures.world_graph import Weather
from tests.crash.promise import assert_promise
from tests.crash.sqlite_ledgers import sqlite_in_memory


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(open_ledger=sqlite_in_memory)
    yield made
    made.documents = [one.document.id for one in made.time.run(made.ledger.summaries())[1]]
    if Weather.MADE_TWICE not in made.sky.by_number.values():  # breaks A8
        assert_promise(made)
    made.close()
