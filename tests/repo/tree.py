"""Lists the files of the repository: what git tracks or would track."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("reconciler", "adapters", "fixtures", "tests", "scripts")
# Where git does not answer (a tree without its history), what the tools leave is left out by name.
LEFT_BEHIND = {".git", ".venv", "__pycache__", "build", "dist", ".hypothesis"}


@cache
def repository_files() -> tuple[Path, ...]:
    """All files, sorted, relative to the root; one deleted but still tracked is not among them."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
        names = [Path(name) for name in listed.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = [name for name in names if not _is_left_behind(name)]
    return tuple(sorted(name for name in names if (ROOT / name).is_file()))


def _is_left_behind(name: Path) -> bool:
    return any(
        part in LEFT_BEHIND or part.endswith(("_cache", ".egg-info", ".pyc", ".lock"))
        for part in name.parts
    )


def python_files(*folders: str) -> list[Path]:
    """The Python files below the given top folders, relative to the root."""
    return [
        name for name in repository_files() if name.suffix == ".py" and name.parts[0] in folders
    ]


def source(name: Path) -> str:
    """The text of a file; a byte that is no UTF-8 becomes a question mark."""
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def parsed(name: Path) -> ast.Module:
    """A Python file as a syntax tree."""
    return ast.parse(source(name), filename=str(name))
