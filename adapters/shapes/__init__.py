"""What other programs read: every shape of JSON that is printed, as pure functions of values.

Fields may be added, never renamed. Ids are strings, times ISO 8601 in UTC.
"""

from .account_state import account_state
from .batch_report import REVERTED, batch_report, outcome_row, plan_report, planned_row
from .checks import Check, checks_list
from .decided import decided
from .decisions_report import DecisionLine, decisions_report
from .document_state import about_surplus, counted, document_state
from .duplicates_report import duplicates_report
from .explanation import Explained, explanation
from .import_report import import_preview, import_report
from .listing import documents_list
from .next_command import next_command
from .reverted import notes_of
from .sweep_report import sweep_report, worker_report
from .timeline import timeline
from .values import shown_time

__all__ = [
    "REVERTED",
    "Check",
    "DecisionLine",
    "Explained",
    "about_surplus",
    "account_state",
    "batch_report",
    "checks_list",
    "counted",
    "decided",
    "decisions_report",
    "document_state",
    "documents_list",
    "duplicates_report",
    "explanation",
    "import_preview",
    "import_report",
    "next_command",
    "notes_of",
    "outcome_row",
    "plan_report",
    "planned_row",
    "shown_time",
    "sweep_report",
    "timeline",
    "worker_report",
]
