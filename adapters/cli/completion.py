"""The files with which a shell completes the program's commands, options and closed lists.

They are Typer's own and ask the program at every key, so a new command needs no new file. They come
with the package because `--install-completion` has to guess the shell, and in a container cannot.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from typer._completion_shared import get_completion_script  # what --show-completion prints

from .commands import app

FOLDER: Final = Path(__file__).with_name("completions")
SHELLS: Final = ("bash", "zsh", "fish")


def completion(shell: str) -> str:
    """The file for this shell."""
    name = app.info.name
    assert isinstance(name, str)
    script = get_completion_script(
        prog_name=name, complete_var=f"_{name.upper()}_COMPLETE", shell=shell
    )
    return f"{script.strip()}\n"


def file_for(shell: str) -> Path:
    """Where it stands in the package."""
    return FOLDER / f"{app.info.name}.{shell}"


def write() -> None:
    """All of them anew."""
    for shell in SHELLS:
        file_for(shell).write_text(completion(shell), encoding="utf-8")


if __name__ == "__main__":
    write()
