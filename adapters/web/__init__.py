"""The HTTP service, and its router to mount in an application of one's own.

    service = Service.of(load_settings())
    app = FastAPI(lifespan=service.lifespan)
    app.include_router(reconciler_router(service, access=my_access))

`my_access` says of each request who is asking: docs/http.md. `Depends(service)` gives the product
to any other route.
"""

from .access import Access, Principal, Scope, unrecognised
from .app import create_app
from .keys import KeyAccess
from .router import reconciler_router
from .service import Service

__all__ = [
    "Access",
    "KeyAccess",
    "Principal",
    "Scope",
    "Service",
    "create_app",
    "reconciler_router",
    "unrecognised",
]
