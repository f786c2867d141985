"""Verdicts say what is true, not what to do, and carry the evidence that shows it.

`Found`, `Absent` and `Inconclusive` are the only three. An `Evidence` holds the listing's figures,
what each stage removed and why, the candidate's own data and the settings used, under one hash.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from .listing import Row
from .model import Grade, Reason, Surplus
from .names import storable

_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=dict).encode

_MAY_BE_REFUSED: Final = re.compile(r"\\u(0000|d[89a-f])")
"""U+0000 and surrogates as JSON spells them. Nearly no body has any, and each piece of one that has
must be looked at."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a verdict rests on: plain JSON, under one hash.

    `text` is its canonical spelling, in ASCII, and what is stored. `id` and `hash` follow from it
    alone, so the same judgement stored twice is one row and a changed byte is noticed when it is
    read.
    """

    text: str
    hash: str
    id: str

    @staticmethod
    def of(body: Mapping[str, Any]) -> Evidence:
        """Seal a body, made storable: outside text may hold what a database refuses."""
        text = _CANONICAL(body)
        return Evidence.sealed(
            _CANONICAL(_storable(body)) if _MAY_BE_REFUSED.search(text) else text
        )

    @staticmethod
    def sealed(text: str) -> Evidence:
        """Evidence of this text, as it was sealed before: with the hash and the id it must have."""
        digest = _hash(text)
        return Evidence(text=text, hash=digest, id=f"ev_{digest[:26]}")

    @cached_property
    def body(self) -> Mapping[str, Any]:
        """Strings, numbers, lists, mappings, None: read from the text when first asked for."""
        body: Mapping[str, Any] = json.loads(self.text)
        return body


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(key): _storable(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_storable(held) for held in value]
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """This row is the entity our call made."""

    row: Row
    grade: Grade
    created_at: datetime | None  # the row's creation time, aware; None for creatives
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """No call of this intent made anything: settled, complete, no survivor and no doubt."""

    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Inconclusive:
    """Not known, and why."""

    reason: Reason
    evidence: Evidence


Verdict = Found | Absent | Inconclusive


def word(verdict: Verdict) -> str:
    """The verdict's name as other programs read it."""
    return type(verdict).__name__.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one look says: a verdict per judged item key, and the surplus the listings show."""

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    surplus: tuple[Surplus, ...] = ()
