"""One verdict's funnel as bars: what each stage left, removed and doubted, and whom.

A doubt is drawn apart from a disproof, and what was not judged apart from both: where a listing did
not come to its end no stage shows a number, for none was counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reconciler.vetoes import VETOES

Shape = Mapping[str, Any]

BAR_WIDTH: Final = 240.0
SEGMENT_MIN: Final = 4.0
"""One row of a hundred thousand is still seen."""

UNASKED: Final = frozenset({"provenance"})
"""Judges only where a policy asked for a log; silent where it removed nothing."""

NARROWED: Final = "neither its name nor its mark is this document's"


_VETOES: Final = frozenset(veto.name for veto in VETOES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One stage. The three counts add up to what came in; None: nothing was judged.

    `examples` are the rows it removed, of which `hidden` more are not kept. A veto judges all that
    the sieves left, whatever another veto says of it.
    """

    stage: str
    left: int | None
    not_ours: int = 0
    doubt: int = 0
    why: str = ""
    examples: tuple[Shape, ...] = ()
    hidden: int = 0
    segments: tuple[tuple[str, float, float], ...] = ()

    @property
    def is_veto(self) -> bool:
        """Whether it judges the name as a whole."""
        return self.stage in _VETOES

    @property
    def removed(self) -> int:
        """Rows that did not pass."""
        return self.not_ours + self.doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """`listing` says how the walk went, in words; `is_complete` None: no listing was needed."""

    bars: tuple[Bar, ...]
    listing: str
    is_complete: bool | None
    when: tuple[str | None, str | None] = (None, None)
    detail: str = ""


def funnel_of(item: Shape) -> Funnel:
    """Of an item of `explain/1`."""
    listing = item["listing"]
    if listing is None:
        return Funnel(
            bars=(), listing="a call was answered with this id: no listing was needed",
            is_complete=None,
        )  # fmt: skip
    when = listing["started_at"], listing["ended_at"]
    if not listing["complete"]:
        return Funnel(
            bars=tuple(_unjudged(item)),
            listing=_where_it_stopped(listing),
            is_complete=False,
            when=when,
            detail=listing.get("detail") or "",
        )
    listed = max([walk["rows"] for walk in item["walks"]] or [listing["rows"]])
    return Funnel(
        bars=tuple(_judged(item, listed)), listing=_walks(item), is_complete=True, when=when
    )


def _unjudged(item: Shape) -> Iterator[Bar]:
    for stage in item["stages"]:
        if stage["stage"] not in UNASKED:
            yield Bar(stage=stage["stage"], left=None, segments=(("hatched", 0.0, BAR_WIDTH),))


def _judged(item: Shape, listed: int) -> Iterator[Bar]:
    narrowed = item["stages"][0]["in"] if item["stages"] else 0
    yield _bar("listed", listed, listed)
    yield _bar("narrowed", narrowed, listed, not_ours=listed - narrowed, why=NARROWED)
    for stage in item["stages"]:
        removed = stage["not_ours"] + stage["doubt"]
        if removed or stage["stage"] not in UNASKED:
            yield _bar(
                stage["stage"],
                stage["in"] - removed,
                listed,
                not_ours=stage["not_ours"],
                doubt=stage["doubt"],
                examples=stage["examples"],
            )


def _bar(
    stage: str,
    left: int,
    of: int,
    *,
    not_ours: int = 0,
    doubt: int = 0,
    why: str = "",
    examples: Sequence[Shape] = (),
) -> Bar:
    counts = {"left": left, "doubt": doubt, "gone": not_ours}
    hidden = not_ours + doubt - len(examples) if examples else 0
    return Bar(
        stage=stage,
        left=left,
        not_ours=not_ours,
        doubt=doubt,
        why=why,
        examples=tuple(examples),
        hidden=hidden,
        segments=tuple(_segments(counts, of)),
    )


def _segments(counts: Mapping[str, int], of: int) -> Iterator[tuple[str, float, float]]:
    """Name, beginning and width of each part that is not empty."""
    x = 0.0
    for name, count in counts.items():
        if count:
            width = max(SEGMENT_MIN, (BAR_WIDTH - 2 * SEGMENT_MIN) * count / max(of, 1))
            yield name, round(x, 1), round(min(width, BAR_WIDTH - x), 1)
            x = min(x + width, BAR_WIDTH - SEGMENT_MIN)


def _walks(item: Shape) -> str:
    sizes = [walk["rows"] for walk in item["walks"]]
    larger = max(item["walks"], key=lambda walk: int(walk["rows"]), default=item["listing"])
    of = " of what bears our label" * any(w.get("statuses") == "our_label" for w in item["walks"])
    walks = "1 walk" if len(sizes) < 2 else f"{len(sizes)} walks, each"
    if len(set(sizes)) > 1:
        walks = f"the larger of {len(sizes)} walks"
    return f"{walks}{of}: {_extent(larger)}, ended by an absent “next”"


def _extent(walked: Shape) -> str:
    pages, rows = walked["pages"], walked["rows"]
    return f"{pages:,} page{'s' * (pages != 1)}, {rows:,} row{'s' * (rows != 1)}"


def _where_it_stopped(listing: Shape) -> str:
    reason = listing["reason"] or "no walk was made"
    where = f"stopped after {_extent(listing)}" if listing.get("pages") else "no page was read"
    return f"{reason}: {where}"
