"""A copy with changes is what `dataclasses.replace` makes, of every kind of value."""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import FrozenInstanceError, asdict, dataclass, field
from typing import Any

import pytest

from fixtures.samples import at, attempt, document, item, lease
from reconciler.copying import quick, replace
from reconciler.model import Document


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ByName:
    """A class of every kind of field that is given by its name."""

    one: int
    two: str = "two"
    three: list[int] = field(default_factory=list)


SIGNATURE = str(inspect.signature(ByName))


@dataclass(frozen=True, slots=True)
class ByPlace:
    """A class whose fields may be given in their order, but for one."""

    one: int
    two: str = "two"
    three: list[int] = field(default_factory=list, kw_only=True)


def test_a_quick_class_takes_what_it_took_and_means_the_same() -> None:
    by_name, by_place = quick(ByName), quick(ByPlace)

    assert (by_name, by_place) == (ByName, ByPlace)
    assert asdict(ByName(one=1)) == {"one": 1, "two": "two", "three": []}
    assert asdict(ByPlace(1, "zwei", three=[3])) == {"one": 1, "two": "zwei", "three": [3]}
    assert ByName(two="zwei", one=1) == ByName(one=1, two="zwei")
    assert repr(ByPlace(1)) == "ByPlace(one=1, two='two', three=[])"
    assert type(ByName(one=1)) is ByName


def test_what_a_quick_class_makes_for_each_is_made_for_each() -> None:
    assert quick(ByName)(one=1).three is not ByName(one=1).three


def test_what_a_quick_class_made_is_frozen() -> None:
    made = quick(ByName)(one=1)

    with pytest.raises(FrozenInstanceError):
        made.one = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.one
    assert replace(made, one=2) == ByName(one=2)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"two": "two"}, "ByName.__init__.*one"),
        ({"one": 1, "nonsense": 1}, "ByName.__init__.*nonsense"),
    ],
    ids=["nothing for a field", "a field that does not exist"],
)
def test_a_quick_class_refuses_what_it_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(TypeError, match=why):
        quick(ByName)(**given)


def test_a_quick_class_shows_the_signature_it_had() -> None:
    assert str(inspect.signature(ByName)) == SIGNATURE
    assert str(inspect.signature(quick(ByName))) == SIGNATURE


def test_a_quick_class_has_no_subclass_for_it_would_make_its_own_kind() -> None:
    kind: Any = quick(ByPlace)

    with pytest.raises(TypeError, match="Wider is a subclass of a quick class"):
        type("Wider", (kind,), {"__slots__": ()})


def test_a_quick_class_takes_by_name_what_it_took_by_name() -> None:
    made: Any = quick(ByName)

    with pytest.raises(TypeError, match="positional"):
        made(1)


@pytest.mark.parametrize("kind", [Checked, Unslotted, Inherited])
def test_only_a_class_that_is_its_slots_alone_is_made_quickly(kind: type[Any]) -> None:
    with pytest.raises(TypeError, match="own constructor"):
        quick(kind)
