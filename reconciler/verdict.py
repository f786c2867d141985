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
from typing import Any, Final

from .listing import Row
from .model import Grade, Reason, Surplus
from .names import storable

_MAY_BE_REFUSED: Final = re.compile(r"\\u(0000|d[89a-f])")
"""U+0000 and surrogates as JSON spells them. Nearly no body has any, and each piece of one that has
must be looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a verdict rests on. `body` is plain JSON: strings, numbers, lists, mappings, None.

    `id` and `hash` follow from the body alone, so the same judgement stored twice is one row and
    a changed byte is noticed when it is read.
    """

    body: Mapping[str, Any]
    hash: str
    id: str

    @staticmethod
    def of(body: Mapping[str, Any]) -> Evidence:
        """Seal a body, made storable: outside text may hold what a database refuses."""
        text = _canonical(body)
        if _MAY_BE_REFUSED.search(text):
            text = _canonical(_storable(body))
        digest = _hash(text)
        return Evidence(body=json.loads(text), hash=digest, id=f"ev_{digest[:26]}")


def evidence_hash(body: Mapping[str, Any]) -> str:
    """SHA-256, in hex, of the body's canonical JSON."""
    return _hash(_canonical(body))


def _canonical(body: Mapping[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=dict)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
