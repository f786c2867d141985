"""What is advised about an item that is held."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.shapes.advice import commands
from adapters.shapes.next_command import IMPORT
from reconciler.model import DocumentState, Reason
from tests.unit import sample_views as sample


@pytest.mark.parametrize("reason", [Reason.POLICY, Reason.AMBIGUOUS])
def test_a_cancelled_document_is_not_advised_to_be_looked_at_again(reason: Reason) -> None:
    held = sample.held(reason).document
    cancelled = replace(held, state=DocumentState.CANCELLED)
    looks = [*([IMPORT] if reason is Reason.POLICY else []), f"reconciler recover {held.id}"]

    advised = commands(held, held.items[0], reason)
    left = commands(cancelled, held.items[0], reason)

    assert advised == [*looks, *left]
    assert left
    assert all(command.startswith("reconciler resolve ") for command in left)
