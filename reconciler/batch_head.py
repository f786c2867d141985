"""The head of a plan as JSON: the first line of its file, written and read back without loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from .batch_values import AccountPlan, Head

SCHEMA: Final = "batch-plan/3"

Json = Mapping[str, Any]


def head_json(head: Head) -> dict[str, Any]:
    """The first line, its hash left out."""
    return {
        "schema": SCHEMA,
        "run": head.run,
        "at": head.at.isoformat(),
        "ledger": head.ledger,
        "settings": dict(head.settings),
        "documents": head.documents,
        "changes": head.changes,
        "counts": dict(sorted(head.counts.items())),
        "reasons": dict(sorted(head.reasons.items())),
        "walks": head.walks,
        "pages": head.pages,
        "walked_twice": head.walked_twice,
        "moved": head.moved,
        "log_pages": head.log_pages,
        "log": dict(sorted(head.log.items())),
        "log_rows": dict(sorted(head.log_rows.items())),
        "stages": {name: list(totals) for name, totals in head.stages.items()},
        "accounts": {
            name: {
                "documents": one.documents,
                "planned": one.planned,
                "claims": one.claims,
                "changes": one.changes,
            }
            for name, one in sorted(head.accounts.items())
        },
    }


def head_of(given: Json) -> Head:
    """The head as it was written. Raises `KeyError`, `TypeError`, `ValueError` if it is none."""
    return Head(
        run=given["run"],
        at=datetime.fromisoformat(given["at"]),
        ledger=given["ledger"],
        settings=given["settings"],
        counts=Counter(given["counts"]),
        reasons=Counter(given["reasons"]),
        accounts={name: AccountPlan(**one) for name, one in given["accounts"].items()},
        walks=given["walks"],
        pages=given["pages"],
        walked_twice=given["walked_twice"],
        moved=given["moved"],
        log_pages=given["log_pages"],
        log=Counter(given["log"]),
        log_rows=Counter(given.get("log_rows", {})),
        stages={name: list(totals) for name, totals in given["stages"].items()},
    )
