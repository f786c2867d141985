"""Settings: read from the environment, `.env` and a secrets directory, checked at start."""

from .model import PREFIX, Settings
from .reading import load_settings, unknown_variables

__all__ = ["PREFIX", "Settings", "load_settings", "unknown_variables"]
