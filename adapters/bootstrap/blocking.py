"""The product for code without an event loop: the same methods, each waits for its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, Self

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
