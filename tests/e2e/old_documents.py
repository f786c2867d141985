"""Documents from before, as a person has them in a file, and the ads that they made."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell

NOW = datetime.now(UTC).replace(microsecond=0)
BEGAN = NOW - timedelta(hours=3)
GONE = (NOW - timedelta(hours=2)).isoformat()
IMPORT = ("--worker-gone-before", GONE)


def line(document_id: str, *names: str, **changed: Any) -> dict[str, Any]:
    """A document that began three hours ago and did not end."""
    plain = {
        "document_id": document_id,
        "account_id": "act_1001",
        "container": {"kind": "adset", "id": "2001"},
        "kind": "ad",
        "created_at": BEGAN.isoformat(),
        "publish_started_at": BEGAN.isoformat(),
        "names": list(names),
        "recorded": [],
    }
    return plain | changed


def finished(document_id: str, **ids: str) -> dict[str, Any]:
    """A healthy one: every name was recorded."""
    recorded = [{"name": name, "external_id": each} for name, each in ids.items()]
    ended = (BEGAN + timedelta(minutes=1)).isoformat()
    return line(document_id, *ids, recorded=recorded, publish_finished_at=ended)


def made(graph: FakeGraph, name: str, after: timedelta = timedelta(minutes=5)) -> str:
    """An ad that somebody made this long after the documents began; its id."""
    world = graph.world
    ad = world.colleague_creates("ads", name, parent_id="2001")
    ad.created_time = world.stamp("act_1001", BEGAN + after)
    return ad.id


def file_of(shell: Shell, *lines: object, name: str = "old.jsonl") -> str:
    """Write these lines; gives the file's name."""
    text = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines)
    (shell.folder / name).write_text(text)
    return name


def standing(shell: Shell, document_id: str) -> tuple[str, list[str]]:
    """State, and of each item how it is known, or why it is not."""
    state = shell.run("show", document_id, "--no-recover", "--json").json
    items = [item["found_by"] or item["reason"] or item["state"] for item in state["items"]]
    return state["state"], items


def as_csv(*lines: dict[str, Any]) -> str:
    """The same lines as a table."""
    rows = [
        {name: value for name, value in each.items() if name != "container"}
        | {f"container_{part}": value for part, value in each["container"].items()}
        | {name: json.dumps(each[name]) for name in ("names", "recorded")}
        for each in lines
    ]
    written = io.StringIO()
    writer = csv.DictWriter(written, fieldnames=sorted({name for row in rows for name in row}))
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()
