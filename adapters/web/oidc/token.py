"""Reads a token and checks who signed it. Nothing in a token says how it is to be checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .issuer_keys import ALGORITHMS, IssuerKeys

TOKEN_LENGTH_MAX: Final = 16 * 1024
KEY_ID_LENGTH_MAX: Final = 200

TYPES: Final = frozenset({"jwt", "at+jwt", "application/at+jwt"})
"""What a token may say it is. An issuer signs others with the same key: of a logout, for one."""


class InvalidToken(Exception):
    """Says what is wrong with it, to go on from "the token"; never what stood in it."""


async def verified(token: str, keys: IssuerKeys) -> Mapping[str, Any]:
    """What a key of the issuer signed, whose and until when not yet looked at.

    The header names a key and an algorithm, both of which must be known already. Where it says to
    find a key elsewhere (`jku`, `x5u`, `jwk`, `x5c`), nobody listens. Raises `InvalidToken`.
    """
    import jwt

    if len(token) > TOKEN_LENGTH_MAX:
        raise InvalidToken("is too long")
    key_id, algorithm = _named(token)
    key = await keys.find(key_id, algorithm)
    if key is None:
        raise InvalidToken("was signed with a key that is not the issuer's")
    try:
        return jwt.decode(token, key, algorithms=[algorithm], options=_SIGNATURE_ALONE)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise InvalidToken("is not signed by the issuer") from None


_CLAIMS: Final = ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")
_SIGNATURE_ALONE: Final[Any] = {f"verify_{claim}": False for claim in _CLAIMS}
"""Times by a clock that is handed in, and the rest beside them: `claims.py`."""


def _named(token: str) -> tuple[str, str]:
    """The key's id and the algorithm."""
    import jwt

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise InvalidToken("cannot be read") from None
    key_id, algorithm = header.get("kid"), header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise InvalidToken(f"is signed in no way that is allowed: {', '.join(sorted(ALGORITHMS))}")
    if not isinstance(key_id, str) or not 0 < len(key_id) <= KEY_ID_LENGTH_MAX:
        raise InvalidToken("names no key")
    if "crit" in header or str(header.get("typ", "JWT")).lower() not in TYPES:
        raise InvalidToken("is of another kind")
    return key_id, algorithm
