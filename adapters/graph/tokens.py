"""Which token an account's requests bear, its proof, and a digest that tells when it changed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from .paths import account_path
from .redaction import Redaction

TokenSource = Callable[[str], SecretStr | None]
"""From an account id with its `act_` to its token; asked before every request, so that a rotated
token is used at once. None: there is no token for that account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The usual token source: one token per account where named, else the default."""

    default: SecretStr | None = None
    by_account: Mapping[str, SecretStr] = field(default_factory=dict)

    def __call__(self, account_id: str) -> SecretStr | None:
        """Accounts are named with or without `act_`, in either case."""
        wanted = _bare(account_id)
        named = (token for name, token in self.by_account.items() if _bare(name) == wanted)
        return next(named, self.default)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What one request bears. `proof` None: no app secret is set (facts 7.8)."""

    token: str = field(repr=False)
    proof: str | None = field(repr=False)

    @property
    def header(self) -> dict[str, str]:
        """The token goes here and nowhere else (facts 7.9; field case R097)."""
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def parameters(self) -> dict[str, str]:
        """The proof is a parameter on every request, follow-up pages included (R030)."""
        return {} if self.proof is None else {"appsecret_proof": self.proof}


class Keyring:
    """Hands out credentials and teaches the redaction every secret before its first use."""

    def __init__(
        self, source: TokenSource, app_secret: SecretStr | None, redaction: Redaction
    ) -> None:
        self._source = source
        self._app_secret = app_secret.get_secret_value().strip() if app_secret else ""
        self._redaction = redaction
        redaction.learn(self._app_secret)

    def credentials(self, account_id: str) -> Credentials | None:
        """None: no token, or one that cannot stand in a header. Raises `Unsendable` (the id)."""
        token = self._token(account_id)
        if token is None:
            return None
        proof = _proof(token, self._app_secret) if self._app_secret else None
        self._redaction.learn(token)
        self._redaction.learn(proof or "")
        return Credentials(token, proof)

    def print_of(self, account_id: str) -> str | None:
        """A digest of the token, the same in every process; None without a token."""
        token = self._token(account_id)
        return token and hashlib.sha256(b"token print\0" + token.encode()).hexdigest()[:32]

    def _token(self, account_id: str) -> str | None:
        secret = self._source(account_path(account_id))
        token = secret.get_secret_value().strip() if secret else ""
        is_usable = token.isascii() and token.isprintable() and " " not in token
        return token if token and is_usable else None


def _proof(token: str, app_secret: str) -> str:
    return hmac.new(app_secret.encode(), token.encode(), hashlib.sha256).hexdigest()


def _bare(account_id: str) -> str:
    return account_id.lower().removeprefix("act_")
