"""What is noticed of the product at work: log lines, metrics with their alert rules, notices."""

from . import metrics
from .json_lines import JsonFormatter, logger_of
from .metrics import REGISTRY
from .notices import Notices
from .observer import Observer, request_ended

__all__ = [
    "REGISTRY",
    "JsonFormatter",
    "Notices",
    "Observer",
    "logger_of",
    "metrics",
    "request_ended",
]
