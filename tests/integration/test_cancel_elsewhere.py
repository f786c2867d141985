"""A cancel of what may still run elsewhere waits for an import, then for a look."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.cli import document_commands
from adapters.cli.running import Stop
from adapters.cli.session import Told
from fixtures.stage import Stage
from fixtures.virtual_time import START
from reconciler.cancel import cancel
from reconciler.model import Document, DocumentState
from reconciler.ports import View
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.elsewhere import SECOND, Elsewhere, finished, line, shown

SEEN_ALIVE = START - timedelta(days=1)


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    """Of one document its worker may still live; of its account a finished one is known."""
    stage = Stage(open_ledger=sqlite_in_memory)
    stage.time.pass_(timedelta(hours=1))
    found = Elsewhere(stage)
    found.imports(line("live", "A", "B"), finished("well", Z="900"), gone_before=SEEN_ALIVE)
    yield found
    stage.close()


def cancel_by_command(stage: Stage) -> str:
    """What a person is told."""

    async def cancelled(document_id: str) -> View:
        return await cancel(document_id, stage.process())

    async def asked() -> Told:
        product: Any = SimpleNamespace(cancel=cancelled)
        return await document_commands.cancel("live")(product, Stop())

    (note,) = stage.time.run(asked()).notes
    return note


def read(elsewhere: Elsewhere) -> Document:
    elsewhere.settle("live", imported=True)
    return elsewhere.stage.document("live")


def test_the_command_says_which_look_cancels_it_and_after_which_import(
    elsewhere: Elsewhere,
) -> None:
    assert cancel_by_command(elsewhere.stage) == (
        "recorded: nothing more is created; once its line is imported with a later time, or with "
        "its end, the look that leaves nothing open cancels it, or leaves it published where "
        "everything turns out to exist: "
        "reconciler import FILE --worker-gone-before TIME"
    )


def test_a_look_that_finds_everything_leaves_it_published_as_the_command_says(
    elsewhere: Elsewhere,
) -> None:
    stage = elsewhere.stage
    elsewhere.made("A", "B")
    stage.time.pass_(timedelta(minutes=10))
    elsewhere.imports(line("live", "A", "B"), gone_before=stage.time.now())
    told = cancel_by_command(stage)
    stage.time.pass_(timedelta(hours=1))

    assert told == (
        "recorded: nothing more is created; the look that leaves nothing open cancels it, or "
        "leaves it published where everything turns out to exist: reconciler recover live"
    )
    assert elsewhere.recovered("live").state is DocumentState.PUBLISHED


def test_after_a_later_time_it_is_cancelled_by_the_look_that_leaves_nothing_open(
    elsewhere: Elsewhere,
) -> None:
    """The first look comes too soon: what a call made may not show yet."""
    stage = elsewhere.stage
    cancel_by_command(stage)

    elsewhere.imports(line("live", "A", "B"), gone_before=stage.time.now())
    first = elsewhere.recovered("live")
    stage.time.pass_(timedelta(minutes=10))

    assert (first.state, first.cancel_requested) == (DocumentState.QUEUED, True)
    assert elsewhere.recovered("live").state is DocumentState.CANCELLED


def test_after_its_end_it_is_cancelled_by_the_next_read(elsewhere: Elsewhere) -> None:
    cancel_by_command(elsewhere.stage)
    ended = line("live", "A", "B", publish_finished_at=shown(START + SECOND))
    recorded = [{"name": "A", "external_id": "901"}]

    elsewhere.imports(ended | {"recorded": recorded}, gone_before=SEEN_ALIVE)

    assert elsewhere.refused == []
    assert read(elsewhere).state is DocumentState.CANCELLED


def test_without_an_import_no_read_cancels_it(elsewhere: Elsewhere) -> None:
    cancel_by_command(elsewhere.stage)
    elsewhere.stage.time.pass_(timedelta(days=2))

    document = read(elsewhere)

    assert (document.state, document.cancel_requested) == (DocumentState.PUBLISHING, True)
