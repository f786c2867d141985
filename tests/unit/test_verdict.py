"""Evidence is sealed: one body, one hash, one id; and a verdict has one word."""

from __future__ import annotations

import pytest

from fixtures.funnel_world import row
from reconciler.model import Grade, Reason
from reconciler.verdict import Absent, Evidence, Found, Inconclusive, Verdict, word

EVIDENCE = Evidence.of({"now": "2026-03-10T12:00:00+00:00", "stages": [{"in": 1}]})


@pytest.mark.parametrize(
    ("verdict", "its_word"),
    [
        (Found(row=row(), grade=Grade.MARK, created_at=None, evidence=EVIDENCE), "found"),
        (Absent(evidence=EVIDENCE), "absent"),
        (Inconclusive(reason=Reason.TOO_SOON, evidence=EVIDENCE), "inconclusive"),
    ],
)
def test_a_verdict_has_one_word(verdict: Verdict, its_word: str) -> None:
    assert word(verdict) == its_word


def test_the_same_body_has_the_same_hash_whatever_the_order_of_its_keys() -> None:
    assert Evidence.of({"a": 1, "b": [2]}) == Evidence.of({"b": [2], "a": 1})


@pytest.mark.parametrize("changed", [{"a": 2}, {"a": "1"}, {"a": 1, "b": None}, {"A": 1}])
def test_a_changed_body_has_another_hash(changed: dict[str, object]) -> None:
    assert Evidence.of(changed).hash != Evidence.of({"a": 1}).hash


def test_the_id_follows_from_the_hash() -> None:
    assert EVIDENCE.id == f"ev_{EVIDENCE.hash[:26]}"
    assert Evidence.of(EVIDENCE.body) == Evidence.sealed(EVIDENCE.text) == EVIDENCE


def test_a_body_is_sealed_as_a_database_can_keep_it() -> None:
    """R051, at any depth, in keys too; enumerations become their words."""
    sealed = Evidence.of({"a\x00": ["\ud83d", {"b": Reason.TOO_SOON}], "c": (1, None, 0.5)})

    assert sealed.body == {"a\\u0000": ["\\ud83d", {"b": "too_soon"}], "c": [1, None, 0.5]}
    assert type(sealed.body["a\\u0000"][1]["b"]) is str
    assert Evidence.of(sealed.body) == sealed
