"""The product for code without an event loop: the same methods, each waits for its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from types import TracebackType
from typing import Any, Self

from reconciler.errors import AlreadyMade
from reconciler.open_intent import OpenIntent

from ..settings import Settings
from .opening import open_reconciler
from .product import Reconciler


class BlockingReconciler:
    """Has every method of `Reconciler`, blocking. For one thread; close it, or use it in `with`."""

    def __init__(self, runner: asyncio.Runner, product: Reconciler) -> None:
        self._runner = runner
        self._product = product

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._product, name)

        @wraps(method)
        def wait(*arguments: Any, **named: Any) -> Any:
            return self._runner.run(method(*arguments, **named))

        return wait

    def create_once(
        self, document_id: str, item: str, send: Callable[[BlockingIntent], str | int]
    ) -> str:
        """As `Reconciler.create_once`, with a `send` that blocks; it runs in the caller's thread.

        Nothing can stop it from here: give `intent.timeout` to the client it uses. One that takes
        longer is waited for, recorded and warned of.
        """
        with ExitStack() as open_:
            try:
                intent = open_.enter_context(self.intent(document_id, item))
            except AlreadyMade as made:
                return made.external_id
            intent.confirm(send(intent))
        return str(intent.external_id)

    def intent(self, document_id: str, item: str) -> BlockingIntent:
        """As `Reconciler.intent`, for `with`."""
        return BlockingIntent(self._runner, self._product.intent(document_id, item))

    def close(self) -> None:
        """Close the product and its event loop."""
        try:
            self._runner.run(self._product.aclose())
        finally:
            self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class BlockingIntent:
    """An `OpenIntent` for `with`: `confirm` and `reject` wait until the answer is durable."""

    def __init__(self, runner: asyncio.Runner, intent: OpenIntent) -> None:
        self._runner = runner
        self._intent = intent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._intent, name)

    def confirm(self, external_id: str | int) -> None:
        """It was made, under this id."""
        self._runner.run(self._intent.confirm(external_id))

    def reject(self, message: str) -> None:
        """The API refused the input and made nothing."""
        self._runner.run(self._intent.reject(message))

    def __enter__(self) -> Self:
        self._runner.run(self._intent.__aenter__())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.run(self._intent.__aexit__(kind, error, trace))


def open_blocking(settings: Settings) -> BlockingReconciler:
    """As `open_reconciler`, with an event loop of its own. Not to be called from inside one."""

    async def opened() -> Reconciler:
        return open_reconciler(settings)

    runner = asyncio.Runner()
    try:
        return BlockingReconciler(runner, runner.run(opened()))
    except BaseException:
        runner.close()
        raise
