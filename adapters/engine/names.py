"""The names of the engines, as the command line takes them."""

from __future__ import annotations

from enum import StrEnum


class EngineName(StrEnum):
    """What `--engine` may say. *Closed.*"""

    IN_PROCESS = "in-process"
    PROCRASTINATE = "procrastinate"
