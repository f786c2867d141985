"""What may be said once in a request is not said twice, and what is not known is not passed over.

A filter with a slip in its name would list everything; of two keys, one would be taken by chance.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from fastapi import Request

from .refusals import Refused

NAME_SHOWN_MAX: Final = 60
"""Characters of a parameter's name: it is the caller's, and may be long."""


def refuse_odd_query(request: Request, known: tuple[str, ...]) -> None:
    """Raises `Refused`, naming each parameter that is not known or stands there twice."""
    faults = []
    for name, count in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known:
            faults.append((name[:NAME_SHOWN_MAX], f"is not known; there are {', '.join(known)}"))
        elif count > 1:
            faults.append((name, "may be given once"))
    if faults:
        raise _refused(faults)


def refuse_repeated_header(request: Request, name: str) -> None:
    """Raises `Refused` where the header was sent more than once, whatever its values."""
    if len(request.headers.getlist(name)) > 1:
        raise _refused([(name, "may be sent once")])


def _refused(faults: list[tuple[str, str]]) -> Refused:
    return Refused(
        "invalid_request",
        "; ".join(f"{name}: {problem}" for name, problem in faults),
        next_step="mend the request and send it again",
        errors=tuple(
            {"item": None, "field": name, "problem": problem, "instead": "see GET /openapi.json"}
            for name, problem in faults
        ),
    )
