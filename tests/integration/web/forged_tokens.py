"""Tokens that open nothing, each wrong in one part."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives import serialization

from adapters.web.oidc.claims import LEEWAY_SECONDS
from adapters.web.oidc.token import TOKEN_LENGTH_MAX
from tests.integration.web.token_issuer import URL, TokenIssuer, ec_key, rsa_key, told, unsigned


def public_pem(number: int) -> bytes:
    return (
        rsa_key(number)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def signed_with_the_public_key(issuer: TokenIssuer, now: datetime) -> str:
    """The classic: a check that reads the algorithm from the token takes the key for a secret."""
    header = {"alg": "HS256", "kid": "one"}
    signed = unsigned(header, issuer.claims(now)).rpartition(".")[0]
    digest = hmac.new(public_pem(1), signed.encode(), hashlib.sha256).digest()
    return unsigned(header, issuer.claims(now), digest)


def altered(token: str, **claims: Any) -> str:
    head, body, signature = token.split(".")
    said = json.loads(jwt.utils.base64url_decode(body)) | claims
    body = jwt.utils.base64url_encode(json.dumps(said).encode()).decode()
    return f"{head}.{body}.{signature}"


Forging = Callable[[TokenIssuer, datetime], str]
KEEP: Final = int(LEEWAY_SECONDS)


def at(now: datetime, seconds: int) -> int:
    return int(now.timestamp()) + seconds


FORGED: dict[str, Forging] = {
    "no algorithm": lambda of, now: unsigned({"alg": "none", "kid": "one"}, of.claims(now)),
    "no algorithm, spelt oddly": lambda of, now: unsigned(
        {"alg": "nOnE", "kid": "one"}, of.claims(now)
    ),
    "an algorithm that is no text": lambda of, now: unsigned(
        {"alg": ["RS256"], "kid": "one"}, of.claims(now)
    ),
    "the public key as a secret": signed_with_the_public_key,
    "another algorithm of the same key": lambda of, now: jwt.encode(
        of.claims(now), rsa_key(1), "RS512", headers={"kid": "one"}
    ),
    "another algorithm, same family": lambda of, now: jwt.encode(
        of.claims(now), rsa_key(1), "PS256", headers={"kid": "one"}
    ),
    "no signature": lambda of, now: of.token(now).rpartition(".")[0] + ".",
    "another's key by our key's name": lambda of, now: of.token(now, key=rsa_key(2)),
    "a key of another kind by our key's name": lambda of, now: of.token(now, key=ec_key(1)),
    "a key nobody knows": lambda of, now: of.token(now, kid="two", key=rsa_key(2)),
    "a key that is a path": lambda of, now: of.token(
        now, kid="../../dev/null", key=rsa_key(2)
    ),
    "a key that is a query": lambda of, now: of.token(now, kid="x' OR '1'='1", key=rsa_key(2)),
    "a key with an endless name": lambda of, now: of.token(now, kid="o" * 9_000, key=rsa_key(1)),
    "no key": lambda of, now: jwt.encode(of.claims(now), rsa_key(1), "RS256"),
    "a key that is a list": lambda of, now: unsigned(
        {"alg": "RS256", "kid": ["one"]}, of.claims(now)
    ),
    "its own key in the header": lambda of, now: of.token(
        now, key=rsa_key(2), header={"jwk": told("one", rsa_key(2))}
    ),
    "an address of its own keys": lambda of, now: of.token(
        now, key=rsa_key(2), header={"jku": "https://evil.example/keys"}
    ),
    "an address of its own certificate": lambda of, now: of.token(
        now, key=rsa_key(2), header={"x5u": "https://evil.example/cert", "x5c": ["MIIB"]}
    ),
    "a condition we do not know": lambda of, now: of.token(
        now, header={"crit": ["exp"], "exp": 1}
    ),
    "a token of a logout": lambda of, now: of.token(now, header={"typ": "logout+jwt"}),
    "more scope than was signed": lambda of, now: altered(
        of.token(now, scope="x"), scope="reconciler:admin"
    ),
    "for another service": lambda of, now: of.token(now, aud="other"),
    "for ours as a part of a name": lambda of, now: of.token(now, aud="reconciler2"),
    "for nobody": lambda of, now: of.token(now, aud=None),
    "for an object": lambda of, now: of.token(now, aud=[{"reconciler": 1}]),
    "of another issuer": lambda of, now: of.token(now, iss="https://issuer.example"),
    "of our issuer with a slash": lambda of, now: of.token(now, iss=f"{URL}/"),
    "of no issuer": lambda of, now: of.token(now, iss=None),
    "ended": lambda of, now: of.token(now, exp=at(now, -KEEP)),
    "endless": lambda of, now: of.token(now, exp=None),
    "ending by a text": lambda of, now: of.token(now, exp=str(at(now, 99))),
    "ending by a truth": lambda of, now: of.token(now, exp=True),
    "ending after all time": lambda of, now: of.token(now, exp=10**400),
    "ending at no number": lambda of, now: of.token(now, exp=float("nan")),
    "not begun": lambda of, now: of.token(now, nbf=at(now, KEEP + 1)),
    "issued later": lambda of, now: of.token(now, iat=at(now, KEEP + 1)),
    "never issued": lambda of, now: of.token(now, iat=None),
    "of nobody": lambda of, now: of.token(now, sub=None),
    "of nobody with a name": lambda of, now: of.token(now, sub=" "),
    "of a name that is a number": lambda of, now: of.token(now, sub=5),
    "of a name with a line in it": lambda of, now: of.token(now, sub="ann\nbob"),
    "endless in length": lambda of, now: of.token(now, note="x" * TOKEN_LENGTH_MAX),
    "no token": lambda of, now: "a.b.c",
    "three times nothing": lambda of, now: "..",
    "a header that is a list": lambda of, now: unsigned([], of.claims(now)),  # type: ignore[arg-type]
    "a body that is a list": lambda of, now: jwt.api_jws.encode(
        b"[]", rsa_key(1), "RS256", headers={"kid": "one"}
    ),
}  # fmt: skip
