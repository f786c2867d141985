"""Each question of a worker is answered by its own index, however many documents there are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine

from adapters.store import due as due_work
from adapters.store import schema
from reconciler.due import Due

INDEXES = {
    Due.CLAIM: "ix_document_claimable",
    Due.TAKEOVER: "ix_document_leased",
    Due.LOOK: "ix_document_claimable",
    Due.OWED_LOOK: "ix_document_owed",
    Due.CANCEL: "ix_document_cancelling",
    Due.STRANDED: "ix_document_claimable",
}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    """A migrated file."""
    engine = create_engine(f"sqlite:///{tmp_path / 'plan.db'}")
    with engine.connect() as opened:
        schema.upgrade(opened)
        opened.commit()
        yield opened
    engine.dispose()


def plan(connection: Connection, kind: Due) -> list[str]:
    ready = due_work._QUESTIONS[kind]._for(connection)
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    asked = driver.execute("EXPLAIN QUERY PLAN " + ready.sql, [None] * len(ready.names))
    return [str(row[3]) for row in asked]


@pytest.mark.parametrize("kind", Due)
def test_a_question_reads_its_index_and_sorts_nothing(connection: Connection, kind: Due) -> None:
    steps = plan(connection, kind)

    on_documents = [step for step in steps if "document " in step or step.endswith("document")]
    assert [step for step in on_documents if f"INDEX {INDEXES[kind]} " in step], steps
    assert not [step for step in steps if "TEMP B-TREE FOR ORDER" in step], steps
    assert not [step for step in steps if "TEMP B-TREE FOR LAST" in step], steps
    assert not [step for step in steps if step.startswith("SCAN item")], steps
