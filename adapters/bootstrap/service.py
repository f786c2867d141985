"""What the HTTP service has of a product beyond its methods: the list in pages, whose a key is."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from reconciler.model import Kind

from ..store.finding import Which
from ..store.judged import Judged
from ..store.listed_state import ListedState
from ..store.pages import Place
from ..store.service import ServiceLedger
from .product import Listed, Reconciler


async def page_of(
    product: Reconciler,
    *,
    state: ListedState | None,
    accounts: Collection[str] | None,
    after: Place | None,
    limit: int,
    which: Which | None = None,
    since: datetime | None = None,
    kind: Kind | None = None,
    verdict: Judged | None = None,
    counted: bool = True,
) -> tuple[Listed, Place | None]:
    """One page of documents, newest first. `accounts` with their `act_`; None: any.

    And where the next page begins; None: this is the last. Without counts unless `counted`. The
    state that is not stored is asked for by `which`, and by no other beside it.
    """
    if state is ListedState.CRASHED and which is None:
        which = Which.CRASHED
    page = await service_ledger(product).page(
        state=state.stored if state else None,
        accounts=accounts,
        after=after,
        limit=limit,
        which=which,
        since=since,
        kind=kind,
        verdict=verdict,
        counted=counted,
    )
    return await product.listed(page.counts, page.lines), page.after


def service_ledger(product: Reconciler) -> ServiceLedger:
    """Its ledger, which must be one in SQL: only those keep what the service needs."""
    ledger = product.outside.ledger
    assert isinstance(ledger, ServiceLedger), "the HTTP service needs a ledger in SQL"
    return ledger
