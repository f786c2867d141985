"""Documents from elsewhere on a stage: their entities made by a program that kept no record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from fixtures.stage import Stage
from fixtures.virtual_time import START
from reconciler.imported import Stated
from reconciler.imported_lines import RawLine, Refused
from reconciler.importing import Imported, import_documents
from reconciler.model import Document
from reconciler.outside import Outside
from reconciler.policy import Legacy
from reconciler.settle import Settled, settle

SECOND = timedelta(seconds=1)
GONE = START + timedelta(minutes=5)
"""Before this no worker of what began at the start of the time was seen."""


def shown(moment: datetime) -> str:
    """As a line has it."""
    return moment.isoformat()


def line(document_id: str, *names: str, **changed: Any) -> dict[str, Any]:
    """A document that began with the time, did not end, and recorded nothing."""
    plain = {
        "document_id": document_id,
        "account_id": "act_1001",
        "container": {"kind": "adset", "id": "2001"},
        "kind": "ad",
        "created_at": shown(START),
        "publish_started_at": shown(START),
        "names": list(names),
        "recorded": [],
    }
    return plain | changed


def finished(document_id: str, **ids: str) -> dict[str, Any]:
    """A healthy one: every name was recorded."""
    recorded = [{"name": name, "external_id": each} for name, each in ids.items()]
    return line(document_id, *ids, recorded=recorded, publish_finished_at=shown(START + SECOND))


@dataclass(slots=True)
class Elsewhere:
    """The other program, and the person who takes its documents over."""

    stage: Stage
    refused: list[Refused] = field(default_factory=list)

    def made(self, *names: str) -> list[str]:
        """Entities it created and did not record, by id."""
        make = self.stage.world.colleague_creates
        return [make("ads", name, parent_id="2001", actor="elsewhere").id for name in names]

    def imports(
        self,
        *lines: dict[str, Any],
        gone_before: datetime = GONE,
        complete: Iterable[str] = (),
        worker: Outside | None = None,
    ) -> Imported:
        """Take these lines over; what is refused is kept."""
        self.refused.clear()
        stated = Stated(gone_before=gone_before, complete=frozenset(complete))
        raws = [RawLine(number=at, text="", value=each) for at, each in enumerate(lines, 1)]
        worker = worker or self.stage.process()
        return self.stage.time.run(
            import_documents(raws, stated, worker, refuse=self.refused.append)
        )

    def settle(self, document_id: str, legacy: Legacy | None = None, **asking: Any) -> Settled:
        """Look at it: because a person asks, unless told otherwise."""
        worker = replace(self.stage.process(), legacy=legacy or Legacy())
        asked = asking or {"asked": True}
        return self.stage.time.run(settle(document_id, worker, **asked))

    def recovered(self, document_id: str, legacy: Legacy | None = None) -> Document:
        """What a recovery leaves."""
        return self.settle(document_id, legacy).view.document

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Field and reason of what was refused."""
        return [(one.field, one.reason) for one in self.refused]
