"""The report of a batch as one page of HTML that needs nothing else: no script, no other file.

Whatever came from outside is escaped, in the picture too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final

from reconciler.batch_values import Head
from reconciler.typed_command import typed_command

from .batch_listed import listed_in_words
from .output import visible

Shape = Mapping[str, Any]

WIDTH: Final = 760
ROW: Final = 26
BAR_X: Final = 130
BAR_MAX: Final = 380
WORDS_X: Final = BAR_X + BAR_MAX + 16

STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 780px; margin: 2em auto; padding: 0 1em;
  color: #24292f; background: #fff; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; }
table { border-collapse: collapse; } td, th { padding: .2em .8em .2em 0; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
code { overflow-wrap: anywhere; } .dim, .dim text { color: #57606a; fill: #57606a; }
svg text { font: 13px system-ui, sans-serif; fill: #24292f; }
.bar { fill: #54aeff; } .found { fill: #2da44e; } .absent { fill: #8c959f; }
.inconclusive { fill: #bf8700; } svg .gone { fill: #cf222e; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; } svg text { fill: #e6edf3; }
  .dim, .dim text { color: #9198a1; fill: #9198a1; }
}
"""


def page(shape: Shape, head: Head) -> str:
    """The whole page."""
    counts, results = shape["counts"], shape["results"]
    name = _told(shape["run"])
    listed = (
        f"Planned {_told(head.at.isoformat())}: {head.documents:,} documents judged, listed in "
        f"{listed_in_words(head.walks, head.pages, head.walked_twice)}."
    )
    revert = typed_command("batch revert", shape["run"], options="--reason TEXT")
    back = (
        f"<p><code>{_told(revert)}</code> makes what this run bound "
        "to imported documents wait for a person. Nothing outside is touched.</p>"
    )
    body = [
        f"<h1>Batch {name}</h1>",
        f'<p class="dim">{listed}</p>',
        "<h2>The funnel</h2>",
        "<p>Every row that any item could have been, and the stage at which it was ruled out.</p>",
        picture(head),
        "<h2>What became of the documents</h2>",
        _table(
            [(f"{name}, {WHAT[name]}", count) for name, count in results.items()]
            + [("stale or in error", counts["stale"] + counts["error"])]
        ),
        *_section("States they are in now", shape["states"].items()),
        *_section("Why the rest is not known", shape["reasons"].items()),
        *_troubles(shape["troubles"]),
        "<h2>To take it back</h2>",
        back,
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>Batch {name}</title><style>{STYLE}</style></head><body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


WHAT: Final = {
    "changed": "as planned",
    "nothing": "the plan changes nothing there",
    "before": "this run did it already",
    "stale": "it moved since it was judged",
    "error": "see below",
}


def picture(head: Head) -> str:
    """The funnel's totals and the verdicts, as SVG."""
    rows = [*_stage_rows(head), *_verdict_rows(head)]
    height = ROW * len(rows) + 12
    told = ", ".join(f"{name} {count:,}" for name, _, count, _ in rows)
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"',
            f' aria-label="{_told(told)}">',
            *(line for number, row in enumerate(rows) for line in _bar(number, row, _most(rows))),
            "</svg>",
        ]
    )


Row = tuple[str, str, int, str]
"""Name, class, count, and what is said beside it."""


def _stage_rows(head: Head) -> Iterator[Row]:
    """How many rows came to each stage, and what it removed."""
    for name, (came, not_ours, doubt) in head.stages.items():
        gone = [f"−{not_ours:,} not ours"] if not_ours else []
        gone += [f"−{doubt:,} doubtful"] if doubt else []
        yield name, "bar", came, ", ".join(gone)


def _verdict_rows(head: Head) -> Iterator[Row]:
    for name in ("found", "absent", "inconclusive"):
        yield name, name, head.counts[name], "items"


def _most(rows: list[Row]) -> int:
    return max((count for _, _, count, _ in rows), default=0) or 1


def _bar(number: int, row: Row, most: int) -> Iterator[str]:
    name, kind, count, more = row
    top = 6 + ROW * number
    width = max(2.0, BAR_MAX * count / most) if count else 0.0
    yield _text(BAR_X - 10, top + 16, name, "end")
    yield f'<rect class="{kind}" x="{BAR_X}" y="{top + 3}" width="{width:.1f}" height="20" rx="2"/>'
    yield _text(WORDS_X, top + 16, f"{count:,}  {more}", "start", "gone" if "−" in more else "")


def _text(x: int, y: int, words: str, anchor: str, kind: str = "") -> str:
    place = f'x="{x}" y="{y}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{_told(words)}</text>'


def _section(title: str, rows: Iterable[tuple[str, int]]) -> Iterator[str]:
    rows = list(rows)
    if rows:
        yield f"<h2>{title}</h2>"
        yield _table(rows)


def _table(rows: Iterable[tuple[str, int]]) -> str:
    cells = (f'<tr><td class="n">{count:,}</td><td>{_told(name)}</td></tr>' for name, count in rows)
    return f"<table>{''.join(cells)}</table>"


def _troubles(troubles: Iterable[Shape]) -> Iterator[str]:
    troubles = list(troubles)
    if troubles:
        yield "<h2>Stale, taken back, and errors</h2>"
    for trouble in troubles:
        named = ", ".join(f"<code>{_told(one)}</code>" for one in trouble["examples"])
        rest = ", …" if trouble["count"] > len(trouble["examples"]) else ""
        head = f"{trouble['count']:,} {trouble['result']}: {_told(trouble['why'])}"
        yield f"<p>{head}<br>{named}{rest}</p>"


def _told(text: str) -> str:
    """Text from outside: neither markup, nor anything that turns the reading around."""
    return escape(visible(text))
