"""What the engine is made of in the database: which parts are not there, and how to be rid of all.

The names are read from the scripts that make them.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import Final

from procrastinate.schema import SchemaManager
from sqlalchemy import Connection, text

from reconciler.errors import WrongSchema

from .jobs import TASKS

_MADE: Final = re.compile(
    r"^CREATE (?:OR REPLACE |UNIQUE )*(TABLE|INDEX|TYPE|FUNCTION|TRIGGER) (?:IF NOT EXISTS )?(\w+)",
    re.MULTILINE,
)
_MISSING: Final = text("""
SELECT kind || ' ' || name FROM unnest(CAST(:kinds AS text[]), CAST(:names AS text[]))
WITH ORDINALITY AS part (kind, name, place)
WHERE NOT CASE kind
    WHEN 'type' THEN to_regtype(name) IS NOT NULL
    WHEN 'function' THEN EXISTS (
        SELECT FROM pg_proc WHERE proname = name AND pg_function_is_visible(oid))
    WHEN 'trigger' THEN EXISTS (
        SELECT FROM pg_trigger WHERE tgname = name
        AND tgrelid IN (to_regclass('procrastinate_jobs'), to_regclass('document')))
    ELSE to_regclass(name) IS NOT NULL
END ORDER BY place
""")
_OF_ANOTHER: Final = text(
    "SELECT task_name FROM procrastinate_jobs WHERE task_name <> ALL(:ours) LIMIT 1"
)


def enqueueing() -> str:
    """The script by which the ledger tells the engine."""
    return resources.files(__package__).joinpath("enqueue.sql").read_text("utf-8")


def dropping() -> str:
    """The script that takes away whatever procrastinate made in our schema, and nothing else."""
    return resources.files(__package__).joinpath("drop.sql").read_text("utf-8")


def missing(connection: Connection) -> tuple[str, ...]:
    """As `table procrastinate_jobs`; of the procrastinate that is installed, none for all there."""
    made = _MADE.findall(SchemaManager.get_schema() + enqueueing())
    kinds, names = [kind.lower() for kind, _ in made], [name for _, name in made]
    return tuple(connection.execute(_MISSING, {"kinds": kinds, "names": names}).scalars())


def see_that_they_are_ours(connection: Connection) -> None:
    """Raise `WrongSchema` where another program's jobs wait in procrastinate's tables."""
    if connection.execute(text("SELECT to_regclass('procrastinate_jobs')")).scalar_one() is None:
        return
    found = connection.execute(_OF_ANOTHER, {"ours": list(TASKS)}).scalar_one_or_none()
    if found is not None:
        raise WrongSchema(
            f"procrastinate's tables beside the ledger hold jobs of another program: {found}",
            next_step="give the ledger a database of its own, or take these tables elsewhere",
        )
