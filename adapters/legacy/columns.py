"""A row of named columns as the object that a line of JSON would be.

The container stands in two columns, `names` and `recorded` hold JSON, and an empty cell is null.
What a cell holds instead is left as it is: the core says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from reconciler.errors import InvalidImport
from reconciler.plan_text import NotJson, read_json

LISTS: Final = ("names", "recorded")
CONTAINER: Final = {"container_kind": "kind", "container_id": "id"}
REQUIRED: Final = (
    *("document_id", "account_id", "container_kind", "container_id", "kind", "created_at"),
    *LISTS,
)
OPTIONAL: Final = (
    *("publish_started_at", "publish_finished_at", "last_seen_at", "worker_gone_at"),
)


def check_columns(columns: Iterable[str], source: str) -> None:
    """Raises `InvalidImport` where a column is missing or stands there twice."""
    given = list(columns)
    missing = [name for name in REQUIRED if name not in given]
    twice = [name for name in (*REQUIRED, *OPTIONAL) if given.count(name) > 1]
    if missing or twice:
        problems = [f"has no column {', '.join(missing)}"] if missing else []
        problems += [f"has more than one column {', '.join(twice)}"] if twice else []
        raise InvalidImport(
            f"{source} {' and '.join(problems)}",
            next_step=f"name its columns {', '.join(REQUIRED)}; may be left out: "
            + ", ".join(OPTIONAL),
        )


def object_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as an object. A second column of one name, which means nothing here, is lost."""
    cells = {name: _plain(value) for name, value in row.items()}
    read = {name: value for name, value in cells.items() if name not in CONTAINER}
    read |= {name: _json(read.get(name)) for name in LISTS}
    read["container"] = {part: cells.get(name) for name, part in CONTAINER.items()}
    return read


def _json(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return read_json(cell)
    except NotJson:
        return cell


def _plain(value: Any) -> Any:
    """What a database's driver gives, in JSON's words."""
    match value:
        case "":
            return None
        case UUID():
            return str(value)
        case Decimal() if value == value.to_integral_value():
            return int(value)
        case bytes() | memoryview():
            return bytes(value).decode("utf-8", "replace")
        case None | bool() | int() | float() | str() | list() | dict() | datetime():
            return value
        case _:
            return str(value)
