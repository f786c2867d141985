"""The company's own sign-in: bearer tokens of an OpenID Connect issuer, beside our keys.

Needs the extra `oidc`. PyJWT reads signatures; what is trusted, and until when, is decided here.
"""

from .access import TokenAccess, is_token, token_access

__all__ = ["TokenAccess", "is_token", "token_access"]
