"""A browser's session: begun with an API key, kept up by a cookie that is not the key.

`BrowserAccess` is an `Access` like any other: `desk.needs(scope)` lets a browser in by it. A page's
form carries `BrowserAccess.token(request)` in a field named `CSRF_FIELD`; without it, and without
the browser's own word that the form stood on a page of this service, nothing is changed. Answer
pages with `Referrer-Policy: same-origin`: with `no-referrer` a browser names no origin.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from fastapi import Request, Response

from .access import Access, Principal
from .forms import form_of, is_form
from .keys import KeyAccess, Now, system_now
from .origins import host_of, is_loopback, refuse_unless_own_page
from .refusals import Refused

LASTING: Final = timedelta(hours=12)
"""A working day; a session also ends with its key, and with the process."""

SESSIONS_MAX: Final = 10_000
"""Beyond it the oldest ends."""

ID_BYTES: Final = 32
CSRF_FIELD: Final = "csrf_token"
CSRF_HEADER: Final = "X-CSRF-Token"
HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

COOKIE: Final = "__Host-reconciler"
COOKIE_ON_LOOPBACK: Final = "reconciler"
"""Two names: a browser takes the first over TLS alone, and then from this very host alone."""


@dataclass(frozen=True, slots=True)
class Session:
    """Whose it is, by the readable part of their key, and when it ends."""

    key_id: str
    ends_at: datetime


class BrowserAccess:
    """Who asks: by a session where the request has one, else as `inner` says.

    What has an `Authorization` was not sent by a browser of its own accord, and goes to `inner`.
    """

    def __init__(self, keys: KeyAccess, inner: Access, now: Now = system_now) -> None:
        self._keys = keys
        self._inner = inner
        self._now = now
        self._secret = secrets.token_bytes(ID_BYTES)
        self._sessions: dict[str, Session] = {}

    async def __call__(self, request: Request) -> Principal:
        """Raises `Refused` for nobody, and for a change that is not from a page of ours."""
        if "authorization" in request.headers:
            return await self._inner(request)
        session = self._session_of(request)
        principal = await (self._keys.by_id(session.key_id) if session else self._inner(request))
        if request.method not in HARMLESS and (session or is_form(request)):
            await self.refuse_forged(request)
        return principal

    def is_signed_in(self, request: Request) -> bool:
        """Whether there is a session to sign out of."""
        return self._session_of(request) is not None

    def token(self, request: Request) -> str:
        """What a form, or `CSRF_HEADER`, must carry in this session, or on a machine alone."""
        session_id = request.cookies.get(_cookie_of(request), "")
        of_session = session_id if self.is_signed_in(request) else ""
        return hmac.new(self._secret, of_session.encode(), hashlib.sha256).hexdigest()

    async def refuse_forged(self, request: Request) -> None:
        """Raise `Refused` unless a page of ours, shown in this session, sent it."""
        refuse_unless_own_page(request)
        given = request.headers.get(CSRF_HEADER)
        if given is None and is_form(request):
            given = (await form_of(request)).get(CSRF_FIELD)
        if not hmac.compare_digest((given or "").encode(), self.token(request).encode()):
            raise Refused(
                "forbidden",
                "this form is of another session, or of no page of this service",
                next_step="load the page again and repeat it there",
            )

    async def sign_in(self, request: Request, key: str, response: Response) -> None:
        """Begin a session for whoever has this key. Raises `Refused` where it opens nothing."""
        kept = await self._keys.recognised(key, request)
        self._end(request)
        while len(self._sessions) >= SESSIONS_MAX:
            del self._sessions[next(iter(self._sessions))]
        session_id = secrets.token_urlsafe(ID_BYTES)
        ends_at = min(self._now() + LASTING, kept.expires_at)
        self._sessions[_digest(session_id)] = Session(kept.id, ends_at)
        _set_cookie(request, response, session_id, ends_at - self._now())

    def sign_out(self, request: Request, response: Response) -> None:
        """End this browser's session, here and in the browser."""
        self._end(request)
        _set_cookie(request, response, "", timedelta(0))

    def _session_of(self, request: Request) -> Session | None:
        session_id = request.cookies.get(_cookie_of(request))
        session = self._sessions.get(_digest(session_id)) if session_id else None
        return session if session and self._now() < session.ends_at else None

    def _end(self, request: Request) -> None:
        self._sessions.pop(_digest(request.cookies.get(_cookie_of(request), "")), None)


def _digest(session_id: str) -> str:
    """All that is kept of it: who reads this process's memory still cannot be that browser."""
    return hashlib.sha256(session_id.encode()).hexdigest()


def _is_alone(request: Request) -> bool:
    return is_loopback(host_of(f"//{request.headers.get('host', '')}"))


def _cookie_of(request: Request) -> str:
    return COOKIE_ON_LOOPBACK if _is_alone(request) else COOKIE


def _set_cookie(request: Request, response: Response, value: str, lasting: timedelta) -> None:
    response.set_cookie(
        _cookie_of(request),
        value,
        max_age=int(lasting.total_seconds()),
        path="/",
        secure=not _is_alone(request),
        httponly=True,
        samesite="strict",
    )
