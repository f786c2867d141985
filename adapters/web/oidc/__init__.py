"""The company's own sign-in: bearer tokens of an OpenID Connect issuer, beside our keys.

Needs the extra `oidc`. PyJWT reads signatures; what is trusted, and until when, is decided here.
"""

from .access import TokenAccess, is_token, token_access
from .checking import issuer_check

__all__ = ["TokenAccess", "is_token", "issuer_check", "token_access"]
