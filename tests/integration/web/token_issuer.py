"""An issuer of tokens of the tests' own: its keys, what it signs, and what it tells of itself."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from jwt.warnings import InsecureKeyLengthWarning

from adapters.web.oidc.issuer import Issuer

URL: Final = "https://issuer.example/tenant"
AUDIENCE: Final = "reconciler"
JWKS: Final = "https://issuer.example/keys"

Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


@cache
def rsa_key(number: int, bits: int = 2048) -> rsa.RSAPrivateKey:
    """One key for each number, made once: it takes a while."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@cache
def ec_key(number: int) -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def told(kid: str, key: Private, **more: Any) -> dict[str, Any]:
    """A public key as a JWKS has it."""
    maker: Any = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    return {**maker.to_jwk(key.public_key(), as_dict=True), "kid": kid, **more}


@dataclass
class TokenIssuer:
    """`down`: it answers nothing. `asked` are the addresses that were asked for."""

    keys: dict[str, Private] = field(default_factory=lambda: {"one": rsa_key(1)})
    extra: list[dict[str, Any]] = field(default_factory=list)
    url: str = URL
    down: bool = False
    asked: list[str] = field(default_factory=list)
    told_of_itself: dict[str, Any] = field(
        default_factory=lambda: {"issuer": URL, "jwks_uri": JWKS}
    )

    @property
    def client(self) -> Issuer:
        return Issuer(self.url, transport=httpx.MockTransport(self._answer))

    def claims(self, now: datetime, **changed: Any) -> dict[str, Any]:
        """Of an operator who may do all; a claim that is None is left out."""
        at = int(now.timestamp())
        plain = {"iss": self.url, "aud": AUDIENCE, "sub": "ann", "iat": at, "exp": at + 300}
        both = {**plain, "scope": "openid reconciler:admin", **changed}
        return {name: value for name, value in both.items() if value is not None}

    def token(
        self,
        now: datetime,
        *,
        kid: str = "one",
        header: Mapping[str, Any] | None = None,
        key: Private | None = None,
        more: Mapping[str, Any] | None = None,
        **changed: Any,
    ) -> str:
        """Signed with the key of this id, or with another that says it is.

        `more` are claims whose names are no words.
        """
        key = key or self.keys[kid]
        algorithm = "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
        headers = {"kid": kid, **(header or {})}
        claims = {**self.claims(now, **changed), **(more or {})}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InsecureKeyLengthWarning)  # some are weak on purpose
            return jwt.encode(claims, key, algorithm, headers=headers)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        if self.down:
            raise httpx.ConnectError("refused", request=request)
        if request.url == JWKS:
            return httpx.Response(200, json=self.jwks())
        return httpx.Response(200, json=self.told_of_itself)

    def jwks(self) -> dict[str, Any]:
        return {"keys": [*self.extra, *(told(kid, key) for kid, key in self.keys.items())]}


def unsigned(header: Mapping[str, Any], claims: Mapping[str, Any], signature: bytes = b"") -> str:
    """A token put together by hand: whatever header, whatever signature."""
    parts = [json.dumps(part).encode() for part in (header, claims)]
    return ".".join(jwt.utils.base64url_encode(part).decode() for part in (*parts, signature))
