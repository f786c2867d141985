"""An item that needs a person, beside the rows that may be it: value by value, differences marked.

What is shown is the evidence that was stored with the verdict. What it does not have of a row is
said not to be there, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from reconciler.created_time import parse_created_time

from .ads_manager import ads_manager_link
from .times import span

Shape = Mapping[str, Any]

CANDIDATES_SHOWN_MAX: Final = 8
NOT_THERE: Final = "not in the evidence"
PASSED: Final = "nothing speaks against it"
"""Of a row that survived: it was compared, and the value itself is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value; `differs` None: there is nothing to compare it with. Not `is_told`: the evidence
    does not have it."""

    text: str
    differs: bool | None = None
    beside: str = ""
    is_told: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One row. `speaks` is for it where it survived, against it where it is doubted."""

    external_id: str
    letter: str
    is_doubted: bool
    speaks: str
    cells: Mapping[str, Cell]
    link: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`intent` are the values that were recorded to be sent, by the name of their line."""

    intent: Mapping[str, str]
    candidates: tuple[Candidate, ...]
    hidden: int


LINES: Final = ("name", "created", "parent", "labels", "status", "bound to", "copied from")


def comparison_of(judged: Shape, account_id: str, sent_at: datetime | None) -> Comparison:
    """Of an item of `explain/1`. `sent_at` is when its latest call was recorded."""
    rows = [*_survivors(judged), *_doubted(judged)]
    shown = rows[:CANDIDATES_SHOWN_MAX]
    return Comparison(
        intent=_intent(judged, sent_at),
        candidates=tuple(
            Candidate(
                external_id=row["id"],
                letter=chr(ord("A") + number),
                is_doubted=row["doubted"],
                speaks=row["speaks"],
                cells=_cells(row["values"], judged, sent_at, is_doubted=row["doubted"]),
                link=ads_manager_link(judged["kind"], account_id, row["id"]),
            )
            for number, row in enumerate(shown)
        ),
        hidden=len(rows) - len(shown),
    )


def _survivors(judged: Shape) -> Iterator[dict[str, Any]]:
    for row in judged.get("survivor_rows", ()):
        speaks = ", ".join(row["speaks_for"]) or "nothing speaks against it"
        yield {
            "id": row["id"], "doubted": False, "speaks": speaks, "values": _merged(row["compared"])
        }  # fmt: skip


def _doubted(judged: Shape) -> Iterator[dict[str, Any]]:
    """Of the sieves. What a veto doubts survived them, and stands above already."""
    survivors = {row["id"] for row in judged.get("survivor_rows", ())}
    for stage in judged["stages"]:
        for example in stage["examples"]:
            if example.get("says") == "doubt" and example["id"] not in survivors:
                yield {
                    "id": example["id"],
                    "doubted": True,
                    "speaks": example["why"],
                    "values": _merged(example["compared"]) | example.get("row", {}),
                }


def _merged(compared: list[Shape]) -> dict[str, Any]:
    """What was read twice shows its latest reading."""
    return {name: value for reading in compared for name, value in reading.items()}


def _intent(judged: Shape, sent_at: datetime | None) -> dict[str, str]:
    sent = judged.get("sent") or {}
    container = sent.get("container") or {}
    return {
        "name": sent.get("name") or judged["name"],
        "created": f"{_windows(judged)}, when our call may have made it",
        "parent": f"{container.get('kind', '')} {container.get('id', '')}".strip() or "–",
        "labels": sent.get("label") or "no mark",
        "status": "–",
        "bound to": "nothing else",
        "copied from": "nothing",
    }


def _windows(judged: Shape) -> str:
    told = [f"{one[0][:19]} to {one[1][11:19]}".replace("T", " ") for one in judged["window"]]
    return ", ".join(told) if told else "no window is known"


def _cells(
    values: Shape, judged: Shape, sent_at: datetime | None, *, is_doubted: bool
) -> dict[str, Cell]:
    sent = judged.get("sent") or {}
    found = {
        "name": _name(values, sent, judged),
        "created": _created(values, judged, sent_at),
        "parent": _parent(values),
        "labels": _labels(values, sent),
        "status": Cell(text=values["effective_status"] or "–") if "effective_status" in values
        else None,
        "bound to": _bound(values),
        "copied from": _source(values),
    }  # fmt: skip
    missing = Cell(text=NOT_THERE if is_doubted else PASSED, is_told=False)
    return {name: cell or missing for name, cell in found.items()}


def _name(values: Shape, sent: Shape, judged: Shape) -> Cell | None:
    if "name" not in values:
        return None
    name = values["name"]
    return Cell(text=name or "–", differs=name != (sent.get("name") or judged["name"]))


def _created(values: Shape, judged: Shape, sent_at: datetime | None) -> Cell | None:
    if "created_time" not in values:
        return None
    at = parse_created_time(values["created_time"])
    if at is None:
        return Cell(
            text=str(values["created_time"] or "–"), differs=True, beside="no readable time"
        )
    windows = [tuple(map(datetime.fromisoformat, one)) for one in judged["window"]]
    is_inside = any(start <= at <= end for start, end in windows)
    return Cell(text=_utc(at), differs=not is_inside, beside=_beside(at, sent_at))


def _utc(at: datetime) -> str:
    return at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")


def _beside(at: datetime, sent_at: datetime | None) -> str:
    """The API tells whole seconds, so one may seem to be made before it was asked for."""
    if sent_at is None:
        return ""
    if at.replace(microsecond=0) == sent_at.replace(microsecond=0):
        return "in the second our call was recorded"
    return f"{span(at - sent_at)} {'after' if at > sent_at else 'before'} our call was recorded"


def _parent(values: Shape) -> Cell | None:
    if "parent" not in values:
        return None
    theirs, ours = values["parent"]
    return Cell(text=theirs or "–", differs=theirs != ours)


def _labels(values: Shape, sent: Shape) -> Cell | None:
    if "labels" not in values:
        return None
    labels, ours = values["labels"], sent.get("label")
    return Cell(text=", ".join(labels) or "none", differs=ours not in labels if ours else None)


def _bound(values: Shape) -> Cell | None:
    if "bound_to" not in values:
        return None
    bound = values["bound_to"]
    if not bound:
        return Cell(text="nothing", differs=False)
    return Cell(text=f"item {bound[1]} of {bound[0]}", differs=True, beside=f"by {bound[2]}")


def _source(values: Shape) -> Cell | None:
    if "source_id" not in values:
        return None
    return Cell(text=values["source_id"] or "nothing", differs=bool(values["source_id"]))
