"""What drives a worker."""

from __future__ import annotations

from typing import Protocol

from reconciler.outside import Outside
from reconciler.serving import Tell, Worked

from .names import EngineName


class Engine(Protocol):
    """Tells a worker which document to serve next. Owns no state that anybody would miss."""

    @property
    def name(self) -> EngineName:
        """What it is called by."""

    async def work(self, outside: Outside, tell: Tell) -> Worked:
        """Serve documents and sweep until `outside.stopping` says so; then end in order.

        Nothing new begins once it is told to stop; what was begun ends, or is handed back. Of what
        goes wrong only `WrongSchema` and `LedgerForbidden` end it: both would be so again.
        """
