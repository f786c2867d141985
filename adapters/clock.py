"""The machine's clocks and its source of chance: what the core asks for and tests replace."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from datetime import timedelta
from typing import Final

from reconciler.mark import ALPHABET, DOCUMENT_PART_LENGTH, DOCUMENT_PREFIX, ITEM_PART_LENGTH

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Base 32 without the letters that are misread; its order is that of ASCII, so ids sort by time."""

_ID_LENGTH: Final = 26  # 10 characters of milliseconds since 1970, 16 of chance: the form of a ULID
_BOOT_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", None)


class SystemClock:
    """The worker's own clocks."""

    def boot_seconds(self) -> float:
        """Since boot; counts suspended time where the system can, else only the time awake.

        Where it cannot (macOS, Windows), the wall clock beside it shows the suspension.
        """
        return time.monotonic() if _BOOT_CLOCK is None else time.clock_gettime(_BOOT_CLOCK)

    def wall_seconds(self) -> float:
        """Since 1970. May be stepped; only ever used together with the other."""
        return time.time()

    async def sleep(self, duration: timedelta) -> None:
        """Let at least this time pass."""
        await asyncio.sleep(duration.total_seconds())


class SystemChance:
    """Tokens nobody can guess, from the system's own source."""

    def document_id(self) -> str:
        """26 characters, sortable by the time of making to the millisecond."""
        bits = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
        return "".join(_CROCKFORD[bits >> 5 * place & 31] for place in reversed(range(_ID_LENGTH)))

    def owner(self) -> str:
        """Host and process for the reader, chance for the fence: a process id is used again."""
        host = socket.gethostname().partition(".")[0][:24] or "host"
        return f"{host}-{os.getpid()}-{secrets.token_hex(6)}"

    def document_part(self) -> str:
        """80 bits behind the prefix that tells a mark."""
        return DOCUMENT_PREFIX + _letters(DOCUMENT_PART_LENGTH)

    def item_part(self) -> str:
        """30 bits, enough to tell the items of one document apart."""
        return _letters(ITEM_PART_LENGTH)

    def fraction(self) -> float:
        """In [0, 1)."""
        return secrets.randbelow(1 << 53) / (1 << 53)


def _letters(count: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(count))
