"""`doctor/1`: what was checked, how it stands, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

SCHEMA: Final = "doctor/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line. `fix` says what to do where it is not `ok`, None where nothing is."""

    name: str
    ok: bool
    detail: str
    fix: str | None = None


def checks_list(checks: Iterable[Check]) -> dict[str, Any]:
    """The shape."""
    lines = [
        {"name": check.name, "ok": check.ok, "detail": check.detail, "fix": check.fix}
        for check in checks
    ]
    return {"schema": SCHEMA, "checks": lines}
