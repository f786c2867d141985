"""`doctor/1`: what was checked, how it stands, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

SCHEMA: Final = "doctor/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line. `fix` says what to do where it is not `ok`, None where nothing is.

    What could not be found out is not `known`, and never `ok`.
    """

    name: str
    ok: bool
    detail: str
    fix: str | None = None
    known: bool = True

    @property
    def status(self) -> str:
        """`ok`, `failed` or `unknown`."""
        return "ok" if self.ok else "failed" if self.known else "unknown"


def checks_list(checks: Iterable[Check]) -> dict[str, Any]:
    """The shape."""
    lines = [
        {
            "name": check.name,
            "ok": check.ok,
            "status": check.status,
            "detail": check.detail,
            "fix": check.fix,
        }
        for check in checks
    ]
    return {"schema": SCHEMA, "checks": lines}
