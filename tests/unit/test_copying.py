"""A copy with changes is what `dataclasses.replace` makes, of every kind of value."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import pytest

from fixtures.samples import at, attempt, document, item, lease
from reconciler.copying import quick, replace
from reconciler.model import Call, Document


@dataclass(frozen=True, slots=True)
class Checked:
    """A class with a check of its own."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


@dataclass(frozen=True)
class Unslotted:
    """A class whose fields stand in a dictionary."""

    one: int
    two: int = 2


@dataclass(frozen=True, slots=True)
class Inherited(Unslotted):
    """A class of which only some fields are slots."""

    three: int = 3


@dataclass(frozen=True, slots=True)
class Single:
    """A class with one field."""

    one: int


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Document)])
def test_one_field_is_changed_and_every_other_carried_over(name: str) -> None:
    one = document([item()], lease=lease(), attempts=(attempt(),), due_at=at(5))

    copy = replace(one, **{name: "changed"})  # type: ignore[arg-type]

    assert copy == dataclasses.replace(one, **{name: "changed"})  # type: ignore[arg-type]
    assert getattr(copy, name) == "changed"
    assert one == document([item()], lease=lease(), attempts=(attempt(),), due_at=at(5))


@pytest.mark.parametrize("value", [Unslotted(1), Inherited(1), Single(1)], ids=repr)
def test_values_of_other_shapes_are_copied_too(value: Unslotted | Single) -> None:
    before = repr(value)

    assert replace(value, one=5) == dataclasses.replace(value, one=5)
    assert repr(value) == before


def test_a_class_that_checks_its_values_checks_a_copy() -> None:
    with pytest.raises(ValueError, match="above"):
        replace(Checked(1, 2), low=3)


def test_a_field_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="nonsense"):
        replace(document(), nonsense=1)  # type: ignore[call-arg]


def test_what_is_made_quickly_is_what_the_class_itself_makes() -> None:
    quickly = quick(Call)(number=1, attempt=2, started_at=at(0))

    assert quickly == Call(number=1, attempt=2, started_at=at(0))
    assert type(quickly) is Call
    with pytest.raises(dataclasses.FrozenInstanceError):
        quickly.number = 2  # type: ignore[misc]


def test_what_is_made_quickly_refuses_what_the_class_refuses() -> None:
    made = quick(Call)

    with pytest.raises(TypeError, match="started_at"):
        made(number=1, attempt=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="nonsense"):
        made(number=1, attempt=2, started_at=at(0), nonsense=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        made(1, 2, at(0))  # type: ignore[call-arg]


@pytest.mark.parametrize("kind", [Checked, Unslotted, Inherited])
def test_only_a_class_that_is_its_slots_alone_is_made_quickly(kind: type[Any]) -> None:
    with pytest.raises(TypeError, match="own constructor"):
        quick(kind)
