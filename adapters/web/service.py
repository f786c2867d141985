"""The product as an application holds it: opened and closed with it, its errands around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from reconciler.ports import View

from ..bootstrap import Reconciler, open_reconciler
from ..bootstrap.service import service_ledger
from ..settings import Settings
from ..store.service import ServiceLedger
from .errands import Errands

KNOWN_MAX: Final = 100_000
"""Documents whose account is remembered; some ten megabytes."""

Open = Callable[[Callable[[], bool]], Reconciler]
"""Opens the product; what it is given is asked before every create, True: no further one."""


class Service:
    """One for an application. `lifespan` opens and closes it; `Depends(service)` is the product."""

    def __init__(self, opening: Open) -> None:
        self._opening = opening
        self._product: Reconciler | None = None
        self._accounts: dict[str, str] = {}
        self.errands = Errands()

    @classmethod
    def of(cls, settings: Settings) -> Service:
        """By these settings."""
        return cls(lambda stopping: open_reconciler(settings, stopping=stopping))

    @property
    def product(self) -> Reconciler:
        """The opened product. Outside of `lifespan` there is none."""
        assert self._product is not None, "give service.lifespan to your application"
        return self._product

    @property
    def ledger(self) -> ServiceLedger:
        """What of its ledger is for the service alone: pages, keys."""
        return service_ledger(self.product)

    async def __call__(self) -> Reconciler:
        """For `Depends`."""
        return self.product

    @asynccontextmanager
    async def lifespan(self, _: Any) -> AsyncIterator[None]:
        """Open the product; at the end let errands end, then close it."""
        async with self._opening(self.errands.is_stopping) as product:
            self._product = product
            limits = product.outside.limits
            try:
                yield
            finally:
                await self.errands.finish(limits.call_timeout + limits.lease_margin)
                self._product = None

    async def account_of(self, document_id: str) -> str:
        """The account of a document, which never changes. Raises `UnknownDocument`."""
        known = self._accounts.get(document_id)
        if known is None:
            view = await self.product.outside.ledger.read(document_id)
            known = self.remember(view)
        return known

    def remember(self, view: View) -> str:
        """Note whose document it is, so that the next reader need not ask; gives the account."""
        if len(self._accounts) >= KNOWN_MAX:
            self._accounts.clear()
        self._accounts[view.document.id] = view.document.account_id
        return view.document.account_id
