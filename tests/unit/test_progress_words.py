"""What a person who waits for a document is told that it waits for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from adapters.cli.progress import standing
from reconciler.lifecycle import queued
from reconciler.model import BlockReason, DocumentState
from reconciler.ports import View
from tests.unit import sample_views as sample


def waiting(**account: object) -> View:
    view = sample.published()
    document = replace(view.document, state=DocumentState.DRAFT, items=())
    return replace(
        view,
        document=queued(document, sample.NOW),
        account=replace(view.account, **account),  # type: ignore[arg-type]
    )


def test_a_document_of_a_paused_account_says_why_it_waits_and_what_ends_it() -> None:
    line = standing(waiting(paused="the budget is being moved"))

    assert line.startswith("waiting, because the account")
    assert "is paused: the budget is being moved; reconciler resume" in line


def test_a_document_of_a_throttled_account_says_until_when_it_waits() -> None:
    until = sample.NOW + timedelta(minutes=5)

    line = standing(waiting(reason=BlockReason.THROTTLED, until=until))

    assert line.startswith("waiting until 2026-03-10 12:10:04 UTC, because the account")
