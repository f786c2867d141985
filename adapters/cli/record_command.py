"""The command `record`: one reply, printed so that anybody may see it."""

from __future__ import annotations

from typing import Any

from ..bootstrap.recording import Wanted
from ..bootstrap.recording import record as record_reply
from ..bootstrap.secrets import learn_secrets
from .exit_codes import ExitCode
from .running import run
from .session import Told, checked_settings, print_told


def record(**wanted: Any) -> int:
    """Always JSON: it is for a report, and for the tests that play it back."""
    settings = checked_settings()
    learn_secrets(settings)
    shape = run(lambda _: record_reply(settings, Wanted(**wanted)), grace_seconds=0)
    code = ExitCode.ERROR if shape["reply"] is None else ExitCode.DONE
    note = "look it through before you show it: it is meant to hold no name, id or secret"
    print_told(Told(shape=shape, picture=None, code=code, notes=(note,)), as_json=True)
    return code
