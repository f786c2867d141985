"""What a decision costs another item is told to who typed it, and in the report of a file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast

from adapters.bootstrap import Reconciler
from adapters.cli.decision_commands import decision, resolve, resolve_file
from adapters.cli.running import Stop
from adapters.cli.session import Told, Work
from reconciler.resolve import Resolved
from reconciler.resolve_decision import Choice
from tests.unit.sample_views import published

COST = "7 may be the entity of a2"
ID = published().document.id


class Decides:
    """A product that records whatever is decided, at a cost."""

    async def resolve(self, *_: Any) -> Resolved:
        return Resolved(view=published(), is_recorded=True, warnings=(COST,))


def told(work: Work) -> Told:
    async def working() -> Told:
        return await work(cast("Reconciler", Decides()), Stop())

    return asyncio.run(working())


def test_a_decision_that_costs_another_item_its_row_warns_who_typed_it_and_programs() -> None:
    said = decision("a1", Choice.ADOPT, "it is ours", external_id="7", override=True)

    answer = told(resolve(ID, said))

    assert answer.notes == ("recorded: adopt for a1", f"WARNING: {COST}")
    assert answer.shape["warnings"] == [COST]


def test_a_line_of_a_file_that_costs_another_item_its_row_says_so_and_is_recorded(
    tmp_path: Path,
) -> None:
    file = tmp_path / "decisions.jsonl"
    line = {"document_id": ID, "item": "a1", "decision": "adopt", "external_id": "7"}
    file.write_text(json.dumps(line | {"reason": "it is ours", "override": True}))

    answer = told(resolve_file(str(file)))

    (line,) = answer.shape["lines"]
    assert (line["result"], line["message"]) == ("recorded", f"WARNING: {COST}")
