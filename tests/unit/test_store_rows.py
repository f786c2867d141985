"""Every field of every stored value has its place in a row: a new one is not lost unnoticed."""

from __future__ import annotations

from dataclasses import fields

import pytest

from adapters.store import rows
from adapters.store.statement import Values
from adapters.store.tables import table
from reconciler import model
from reconciler.mark import Mark
from tests.contract.ledger_documents import attempt, bound, call, document, intent

# Fields of the value that stand in other columns, or in other tables.
ELSEWHERE = {
    "document": {"container", "lease", "next", "items", "attempts", "surplus", "verdicts"},
    "item": {"parent", "intent"},
    "intent": {"container", "mark", "calls"},
}
INTENT = intent()
WHOLE = document("d1", bound("a1", "5"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("document", model.Document),
        ("item", model.Item),
        ("intent", model.Intent),
        ("call", model.Call),
        ("attempt", model.Attempt),
        ("verdict", model.JudgedItem),
        ("surplus", model.Surplus),
        ("account", model.Account),
    ],
)
def test_every_field_is_a_column_or_is_known_to_stand_elsewhere(name: str, value: type) -> None:
    columns = {column.name for column in table(name).columns}
    own = {field.name for field in fields(value)} - ELSEWHERE.get(name, set())

    assert own <= columns


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("document", rows.document_values(WHOLE)),
        ("item", rows.item_values("d1", WHOLE.items[0])),
        ("intent", rows.intent_values(WHOLE, "a1", INTENT)),
        ("call", rows.call_values("d1", "a1", call())),
        ("attempt", rows.attempt_values("d1", attempt())),
        ("account", rows.account_values(model.Account(id="act_1"))),
    ],
)
def test_every_column_is_written(name: str, values: Values) -> None:
    assert set(values) == {column.name for column in table(name).columns}


def test_nothing_else_stands_elsewhere() -> None:
    """A field that came to the parts of a value needs a column, or a line in the table above."""
    assert {field.name for field in fields(model.Lease)} == {"owner", "epoch", "until", "purpose"}
    assert {field.name for field in fields(model.Next)} == {"action", "why", "until"}
    assert {field.name for field in fields(model.Container)} == {"kind", "id"}
    assert {field.name for field in fields(Mark)} == {"document_part", "item_part"}
