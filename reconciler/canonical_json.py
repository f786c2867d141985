"""The one spelling of a JSON value, and its digest: equal values give equal hashes.

Keys are sorted, nothing is spaced, everything is ASCII. Numbers keep their spelling: 1 and 1.0 are
two values, for they are two texts on the wire. Non-finite numbers have none and raise ValueError.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: object) -> str:
    """The value as the shortest sorted text."""
    return _ENCODER.encode(value)


def digest(value: object) -> str:
    """SHA-256 of the canonical text, 64 hex digits."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()
