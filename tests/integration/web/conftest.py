"""A stage on a ledger in SQL, held to the promise in the end; an issuer of tokens."""

from collections.abc import Iterator

import pytest

from fixtures.stage import Stage
from tests.crash.promise import assert_promise
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.web.token_issuer import TokenIssuer


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(open_ledger=sqlite_in_memory)
    yield made
    made.documents = [one.document.id for one in made.time.run(made.ledger.summaries())[1]]
    assert_promise(made)
    made.close()


@pytest.fixture
def issuer() -> TokenIssuer:
    return TokenIssuer()
