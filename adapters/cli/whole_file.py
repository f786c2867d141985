"""Where a command puts a file that appears whole or not at all: beside it first, then over it."""

from __future__ import annotations

from pathlib import Path

from reconciler.errors import ReconcilerError


class FileLost(ReconcilerError):
    """The file cannot be written; what stood there before is untouched."""

    code = "unexpected"


def target_of(output: Path) -> Path:
    """The file that is meant: the one a link leads to, so that the link stays one.

    Raises `FileLost` for a device, a pipe or a folder: to be put in its place would end it, and
    whoever reads from a pipe would get nothing.
    """
    meant = output.resolve() if output.is_symlink() else output
    if output.exists() and not output.is_file():
        kind = "a folder" if output.is_dir() else "no file but a device or a pipe"
        raise FileLost(f"{output} is {kind}", next_step="name a file with -o")
    return meant


def lost(output: Path, error: OSError) -> FileLost:
    """What is said where the system refuses to write it."""
    return FileLost(
        f"{output} cannot be written: {error.strerror}", next_step="name another file with -o"
    )
