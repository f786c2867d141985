"""Applies a plan again and again, each time in a process that is killed at its n-th statement.

`python -m tests.e2e.killed_batch PLAN SEED KILLS LATEST TOGETHER`: draws each n up to LATEST, and
commits TOGETHER documents at a time. Prints, as a JSON list, the signal that ended each process;
0: it came to its end. A process is a fork of this one, which has imported everything already.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from adapters.cli.app import exit_code_of
from adapters.store.statement import Statement
from reconciler import batch_chunks


def main(plan: str, seed: str, kills: str, latest: str, together: str) -> None:
    """One process after the other."""
    dice = random.Random(int(seed))
    batch_chunks.DOCUMENTS_MAX = int(together)  # type: ignore[misc]
    with open(os.devnull, "w") as sys.stdout:
        exit_code_of(("batch", "plan"))  # makes, once for all, what every process would make anew
    sys.stdout = sys.__stdout__
    ends = [_life(plan, dice.randint(1, int(latest))) for _ in range(int(kills))]
    print(json.dumps(ends))  # noqa: T201 - what the test reads


def _life(plan: str, dies_at: int) -> int:
    child = os.fork()
    if child == 0:
        _apply(plan, dies_at)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def _apply(plan: str, dies_at: int) -> NoReturn:
    left = dies_at

    def dying(run: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return run(*arguments)

        return counted

    Statement.found = dying(Statement.found)  # type: ignore[method-assign]
    Statement.run = dying(Statement.run)  # type: ignore[method-assign]
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
    os._exit(exit_code_of(("batch", "apply", plan, "--max-share", "1")))


if __name__ == "__main__":
    main(*sys.argv[1:])
