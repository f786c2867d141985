"""What a shell completes: the shipped files are Typer's, and the program answers them."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Final

import pytest

from adapters.cli.commands import names
from adapters.cli.completion import FOLDER, SHELLS, completion, file_for
from tests.e2e.command_line import PROGRAM

IN_BASH: Final = """
source "$1"
complete -p reconciler >&2
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_reconciler_completion "$0"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed_by_bash(*words: str) -> list[str]:
    """What a real one offers for the last of these words."""
    ran = subprocess.run(
        ["bash", "--norc", "-euc", IN_BASH, PROGRAM, file_for("bash"), "reconciler", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == "complete -o default -F _reconciler_completion reconciler\n"
    return ran.stdout.split()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shipped_file_is_what_the_program_would_install(shell: str) -> None:
    told = "run: python -m adapters.cli.completion"

    assert file_for(shell).read_text("utf-8") == completion(shell), told
    assert len(list(FOLDER.iterdir())) == len(SHELLS)


def test_bash_completes_commands_options_and_closed_lists() -> None:
    assert sorted(completed_by_bash("")) == sorted(names())
    assert completed_by_bash("list", "--ki") == ["--kind"]
    assert completed_by_bash("list", "--kind", "ad") == ["adset", "adcreative", "ad"]
    assert completed_by_bash("batch", "exp") == ["export"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_program_answers_what_the_file_of_another_shell_asks(shell: str) -> None:
    asked = {"_RECONCILER_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "reconciler res"}
    asked |= {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}

    ran = subprocess.run(
        [PROGRAM], env=os.environ | asked, capture_output=True, text=True, check=True
    )

    assert all(name in file_for(shell).read_text("utf-8") for name in asked)
    assert set(re.findall(r"\bres\w*", ran.stdout)) == {"resolve", "resume"}
