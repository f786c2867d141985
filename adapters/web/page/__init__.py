"""The operator's page: what is broken, why, and the one next safe action, for a browser."""

from .router import page_router

__all__ = ["page_router"]
