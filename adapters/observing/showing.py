"""Shows the figures of a process that serves no HTTP by itself, such as a worker."""

from __future__ import annotations

from prometheus_client import start_http_server

from reconciler.errors import InvalidSettings

from .metrics import REGISTRY

HOST = "127.0.0.1"


def show_figures(port: int) -> None:
    """At `http://127.0.0.1:PORT/metrics`, from a thread that ends with the process.

    Raises `InvalidSettings` where the port is taken.
    """
    try:
        start_http_server(port, addr=HOST, registry=REGISTRY)
    except OSError as error:
        raise InvalidSettings(
            f"cannot show figures on {HOST} port {port}: {error.strerror}",
            next_step="name another with --metrics-port",
        ) from error
