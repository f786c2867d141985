"""Which of a person's decisions stands over an item's latest look, told from the journal.

The verdict is the look's own and stays what it was: a person decided because it proved nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reconciler.resolve_decision import Choice

from .times import moment

Shape = Mapping[str, Any]

WORDS: Final[Mapping[str, str]] = {
    Choice.ADOPT: "this row is it",
    Choice.NONE: "no row is it: it was not made",
    Choice.HOLD: "not now: it stays held",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """`external_id` None: the decision names no row."""

    what: str
    external_id: str | None
    by: str
    at: str


def standing_of(judged: Shape | None) -> Standing | None:
    """Of an item of `explain/1`; None where the look's own word stands.

    A decision is made on a look of its own, recorded in the same moment: one older than the latest
    look was overtaken by it. What a later one only adds, that a surplus is known, is no new one.
    """
    if judged is None or judged["verdict"] == "found":
        return None
    since = moment(judged["judged_at"])
    said: Shape | None = None
    for one in judged["decisions"]:
        if moment(one["at"]) >= since and _decides(one) != _decides(said):
            said = one
    if said is None:
        return None
    return Standing(
        what=WORDS[said["choice"]], external_id=said["external_id"], by=said["by"], at=said["at"]
    )


def _decides(said: Shape | None) -> tuple[str, str | None] | None:
    return None if said is None else (said["choice"], said["external_id"])
