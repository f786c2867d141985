"""Documents from elsewhere: read line by line in what form they come, and handed back."""

from __future__ import annotations

from .handing_back import head, lines
from .refused_file import RefusedFile
from .sources import FORMATS, Source, database, opened

__all__ = ["FORMATS", "RefusedFile", "Source", "database", "head", "lines", "opened"]
