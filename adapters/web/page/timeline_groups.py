"""The journal as a story: oldest first, in the groups that an attempt or a takeover begins.

A wave of fifty says the same fifty times: lines that follow each other and tell alike are one. What
one look says is of one time, so another look is another line, however alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from reconciler import events

Shape = Mapping[str, Any]

LINES_SHOWN_MAX: Final = 400
KEYS_SHOWN_MAX: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What happened at a time. `keys` are the items it happened to, `more` of them not named."""

    at: str
    symbol: str
    tone: str
    what: str
    keys: tuple[str, ...] = ()
    more: int = 0
    said: str = ""


@dataclass(slots=True, kw_only=True)
class Group:
    """What one attempt, or what came after it, consists of."""

    title: str
    lines: list[Line] = field(default_factory=list)


def groups_of(timeline: Shape, attempts: Iterable[Shape]) -> tuple[list[Group], int]:
    """The groups of `timeline/1`, and how many of the newest lines are left out."""
    outcomes = {attempt["number"]: attempt for attempt in attempts}
    found = [Group(title="Before the first attempt")]
    runs = [list(run) for _, run in groupby(timeline["entries"], key=_alike)]
    for same in runs[:LINES_SHOWN_MAX]:
        if title := _begins(same[0], outcomes):
            found.append(Group(title=title))
        found[-1].lines.append(_line(same))
    return [one for one in found if one.lines], sum(map(len, runs[LINES_SHOWN_MAX:]))


def _alike(entry: Shape) -> tuple[str, ...]:
    told = _TOLD.get(entry["kind"], _unknown)(entry)
    return (*told, _told_together(entry))


def _told_together(entry: Shape) -> str:
    """What a line must have in common with the one before it to be told along with it."""
    match entry["kind"]:
        case events.INTENTS_WRITTEN | events.ANSWERED:
            return ""
        case events.LOOKED:
            return str(entry["at"])
        case _:
            return str(entry["sequence"])


def _begins(entry: Shape, attempts: Mapping[int, Shape]) -> str:
    number = entry["detail"].get("attempt")
    if entry["kind"] == events.TAKEN_OVER:
        return f"After the crash of attempt {number}"
    if entry["kind"] != events.CLAIMED:
        return ""
    outcome = attempts.get(number, {}).get("outcome") or "running"
    return f"Attempt {number}, lease epoch {entry['detail'].get('epoch')}: {outcome}"


def _line(same: list[Shape]) -> Line:
    first = same[0]
    symbol, tone, what, said = _TOLD.get(first["kind"], _unknown)(first)
    keys = [entry["item"] for entry in same if entry["item"] is not None]
    return Line(
        at=first["at"],
        symbol=symbol,
        tone=tone,
        what=what,
        keys=tuple(keys[:KEYS_SHOWN_MAX]),
        more=max(0, len(keys) - KEYS_SHOWN_MAX),
        said=said,
    )


Told = tuple[str, str, str, str]
"""Symbol, tone, what happened, and what somebody said about it."""


def _plainly(symbol: str, tone: str, what: str) -> Callable[[Shape], Told]:
    return lambda _: (symbol, tone, what, "")


def _answered(entry: Shape) -> Told:
    detail = entry["detail"]
    tone = {"created": "good", "rejected": "bad", "refused_access": "bad"}.get(
        detail["outcome"], "busy"
    )
    row = f" ({detail['row']})" if detail.get("row") else ""
    outcome = detail["outcome"].replace("_", " ")
    return ("←", tone, f"answered: {outcome}{row}", "")


def _taken_over(entry: Shape) -> Told:
    number = entry["detail"].get("attempt")
    what = f"CRASH: the lease of attempt {number} had ended and no result was saved; taken over"
    return ("✝", "bad", what, "")


def _looked(entry: Shape) -> Told:
    verdict, reason = entry["detail"]["verdict"], entry["detail"].get("reason")
    symbol, tone = {"found": ("~", "good"), "absent": ("+", "info")}.get(verdict, (".", "busy"))
    return (symbol, tone, f"listed and judged: {verdict}{f' ({reason})' if reason else ''}", "")


def _resolved(entry: Shape) -> Told:
    detail = entry["detail"]
    named = f" {detail['external_id']}" if detail.get("external_id") else ""
    also = f", also {', '.join(detail['also'])}" if detail.get("also") else ""
    overruled = "; ".join(detail.get("overridden") or ())
    what = f"a person decided: {detail['choice']}{named}{also}"
    what += f"; overruled: {overruled}" if overruled else ""
    what += "".join(f"; WARNING: {one}" for one in detail.get("warnings", ()))
    return ("»", "warn", what, f"{detail.get('by')}: {detail.get('reason')}")


def _surplus(entry: Shape) -> Told:
    return ("!", "bad", f"surplus seen outside: {entry['detail'].get('external_id')}", "")


def _unlisted(entry: Shape) -> Told:
    which = f"{_whose(entry)} {entry['detail'].get('external_id')}"
    return ("-", "warn", f"not in a complete listing any more, deleted or moved: {which}", "")


def _listed_again(entry: Shape) -> Told:
    which = f"{_whose(entry)} {entry['detail'].get('external_id')}"
    return ("=", "calm", f"listed again: {which}", "")


def _whose(entry: Shape) -> str:
    return "the surplus" if entry["detail"].get("surplus") else "the recorded"


def _state(entry: Shape) -> Told:
    why = entry["detail"].get("why")
    state = str(entry["detail"].get("state")).replace("_", " ")
    return ("→", "calm", f"state: {state}", str(why).replace("_", " ") if why else "")


def _reverted(entry: Shape) -> Told:
    detail = entry["detail"]
    what = f"batch {detail.get('run')} was taken back"
    return ("↶", "warn", what, f"{detail.get('by')}: {detail.get('reason')}")


def _submitted(entry: Shape) -> Told:
    detail = entry["detail"]
    items = detail.get("items")
    told = f", {items} items" if isinstance(items, int) and items != 1 else ""
    return ("○", "calm", f"accepted: revision {detail.get('revision')}{told}", "")


def _imported(entry: Shape) -> Told:
    state = str(entry["detail"].get("state")).replace("_", " ")
    return ("⇥", "calm", f"taken over from elsewhere as {state}, with the ids its lines have", "")


def _unknown(entry: Shape) -> Told:
    detail = ", ".join(f"{name} {value}" for name, value in entry["detail"].items())
    return ("·", "calm", entry["kind"].replace("_", " "), detail)


_TOLD: Final[Mapping[str, Callable[[Shape], Told]]] = {
    events.SUBMITTED: _submitted,
    events.REVISED: _submitted,
    events.IMPORTED: _imported,
    events.QUEUED: _plainly("…", "busy", "queued: a person said publish"),
    events.CLAIMED: _plainly("▸", "busy", "claimed by a worker"),
    events.INTENTS_WRITTEN: _plainly("✎", "calm", "intents written, before any is sent"),
    events.ANSWERED: _answered,
    events.TAKEN_OVER: _taken_over,
    events.LOOKED: _looked,
    events.RESOLVED: _resolved,
    events.SURPLUS: _surplus,
    events.UNLISTED: _unlisted,
    events.LISTED_AGAIN: _listed_again,
    events.STATE: _state,
    events.BATCH_REVERTED: _reverted,
    events.CANCEL_REQUESTED: _plainly("–", "calm", "cancel requested"),
    events.STALE: _plainly("·", "calm", "what was judged had moved: nothing was decided"),
}
