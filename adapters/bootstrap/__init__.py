"""The one place that joins the parts: `open_reconciler(settings)` is how programs get the product.

    async with open_reconciler(load_settings()) as product:
        submitted = await product.submit(plan)
        published = await product.publish(submitted.document.id)

`open_blocking(settings)` is the same for code without an event loop. Importing this is cheap; the
database and HTTP libraries are imported when the product is opened.
"""

from .blocking import BlockingReconciler, open_blocking
from .opening import migrate, open_reconciler
from .product import Listed, Reconciler
from .refusing import is_refusal
from .secrets import REDACTION

__all__ = [
    "REDACTION",
    "BlockingReconciler",
    "Listed",
    "Reconciler",
    "is_refusal",
    "migrate",
    "open_blocking",
    "open_reconciler",
]
