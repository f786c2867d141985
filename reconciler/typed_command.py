"""A command to type, as advice prints it: pasted into a shell, it says what was meant.

An id that was imported is foreign text, and a shell would run what is in it.
"""

from __future__ import annotations

import shlex


def typed_command(name: str, *operands: str, options: str = "") -> str:
    """`operands` are quoted where a shell needs it; `options` stand as they are.

    An operand may begin with a dash, which would be read as an option: there `--` parts them.
    """
    quoted = [shlex.quote(operand) for operand in operands]
    begun = ["reconciler", name]
    told = [options] if options else []
    if any(operand.startswith("-") for operand in operands):
        return " ".join([*begun, *told, "--", *quoted])
    return " ".join([*begun, *quoted, *told])
