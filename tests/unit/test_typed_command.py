"""What is advised to type means the same to a shell, whatever the id holds."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from adapters.shapes import next_command
from adapters.shapes.advice import commands
from reconciler.errors import UnknownItem, WrongState
from reconciler.lifecycle import queued
from reconciler.model import Next, NextAction
from reconciler.resolve_decision import Choice, Decision, known_item
from reconciler.typed_command import typed_command
from tests.unit import sample_views as sample

FOREIGN = [
    "job 7; touch PWNED", "$(touch X)", "`touch X`", "-o'b \"$HOME", "--help", "a\nb", "März", "*",
]  # fmt: skip


def operands(command: str) -> list[str]:
    """What the program gets behind the options, as a shell and a reader of options part them."""
    words = shlex.split(command, comments=True)
    return words[words.index("--") + 1 :] if "--" in words else words[2:]


@pytest.mark.parametrize("name", FOREIGN)
def test_an_operand_reaches_the_program_as_it_is(name: str) -> None:
    assert operands(typed_command("show", name)) == [name]
    assert operands(typed_command("resolve", "d1", name, options="--none"))[:2] == ["d1", name]


def test_a_plain_operand_stands_as_it_is() -> None:
    told = typed_command("show", "4711_a-b", options="--refresh")

    assert told == "reconciler show 4711_a-b --refresh"


def test_options_go_before_an_operand_that_looks_like_one() -> None:
    assert typed_command("show", "-d", options="--refresh") == "reconciler show --refresh -- -d"


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize(
    "action",
    [NextAction.PUBLISH, NextAction.WAIT, NextAction.RECOVER, NextAction.DECIDE],
)
def test_the_next_command_quotes_the_id_of_its_document(name: str, action: NextAction) -> None:
    document = replace(sample.held().document, id=name)

    command = next_command(document, Next(action=action, why="it is so"))

    assert command is not None
    assert operands(command)[0] == name


@pytest.mark.parametrize("name", FOREIGN)
def test_every_command_of_the_evidence_quotes_document_and_item(name: str) -> None:
    held = sample.held().document
    item = replace(held.items[0], key=name)
    document = replace(held, id=name, items=(item, *held.items[1:]))

    look, *decisions = commands(document, item, None)

    assert operands(look) == [name]
    assert decisions
    assert all(operands(one)[:2] == [name, name] for one in decisions)


@pytest.mark.parametrize("name", FOREIGN)
def test_a_refusal_quotes_the_id_in_what_it_tells_to_do(name: str) -> None:
    document = replace(sample.held().document, id=name)
    decision = Decision(item="another", choice=Choice.HOLD, by="me", reason="so")

    with pytest.raises(UnknownItem) as refused:
        known_item(document, decision)

    assert operands(refused.value.next_step) == [name]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_refused_publish_quotes_the_id_too(name: str) -> None:
    held = sample.held()

    with pytest.raises(WrongState) as refused:
        queued(replace(held.document, id=name), held.now)

    explain, recover = refused.value.next_step.split(", then ")
    assert operands(explain) == operands(recover) == [name]
