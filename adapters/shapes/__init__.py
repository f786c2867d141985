"""What other programs read: every shape of JSON that is printed, as pure functions of values.

Fields may be added, never renamed. Ids are strings, times ISO 8601 in UTC.
"""

from .checks import Check, checks_list
from .document_state import document_state
from .explanation import Explained, explanation
from .listing import documents_list
from .next_command import next_command
from .values import shown_time

__all__ = [
    "Check",
    "Explained",
    "checks_list",
    "document_state",
    "documents_list",
    "explanation",
    "next_command",
    "shown_time",
]
