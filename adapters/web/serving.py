"""Runs the service on a socket until it is asked to stop; refuses to let in everybody."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

import uvicorn
from fastapi import FastAPI

from reconciler.errors import InvalidSettings

from ..settings import Settings
from .app import create_app
from .browser_session import BrowserAccess
from .keys import KeyAccess, is_usable, new_failures, system_now
from .loopback import ServiceAccess
from .oidc import token_access
from .origins import is_loopback
from .service import Service

BACKLOG: Final = 512
KEEP_ALIVE_SECONDS: Final = 5
CONNECTIONS_MAX: Final = 1_000
"""At once; more are told to come back."""

Wait = Callable[[], Awaitable[None]]
Tell = Callable[[str], None]


async def serve(settings: Settings, *, host: str, port: int, stopped: Wait, tell: Tell) -> str:
    """Serve until `stopped` returns; `tell` is given the address as soon as it can be asked.

    `port` 0: any free one. Raises `InvalidSettings` where the address cannot be had, or where
    others than this machine could ask and no key tells them apart.
    """
    service = Service.of(settings)
    failures = new_failures()
    tokens = token_access(settings, failures)
    if tokens is None:
        await _refuse_everybody(service, host)
    keys = KeyAccess(service, failures=failures)
    access = BrowserAccess(keys, ServiceAccess(keys, host=host, tokens=tokens))
    app = create_app(service, access=access)
    with contextlib.closing(_listening(host, port)) as listener:
        address = _address(host, listener)
        tell(address)
        await _run(app, service, listener, stopped)
    return address


async def _refuse_everybody(service: Service, host: str) -> None:
    if is_loopback(host):
        return
    async with service.lifespan(None):
        keys = await service.ledger.keys()
    if not any(is_usable(key, system_now()) for key in keys):
        raise InvalidSettings(
            f"on {host} everybody who reaches it could publish: there is no key to tell them apart",
            next_step="reconciler key create NAME --scope publish, or serve on 127.0.0.1",
        )


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise InvalidSettings(
            f"cannot listen on {host} port {port}: {error.strerror or error}",
            next_step="name another with --host and --port",
        ) from error


def _address(host: str, listener: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


async def _run(app: FastAPI, service: Service, listener: socket.socket, stopped: Wait) -> None:
    config = uvicorn.Config(
        app,
        log_config=None,  # the process's own logging, which redacts
        access_log=False,  # it would write query strings
        lifespan="on",
        server_header=False,
        proxy_headers=False,  # whoever connects is who asks
        ws="none",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        limit_concurrency=CONNECTIONS_MAX,
    )
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve([listener]))
    stopping = asyncio.ensure_future(stopped())
    try:
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        service.errands.stop()
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    """Signals belong to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """None."""
        yield
