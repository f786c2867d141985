"""Which documents whoever drives them is told of: each account's first, then the rest."""

from __future__ import annotations

from .due import Due
from .outside import Outside


async def due_now(outside: Outside, limit: int) -> tuple[str, ...]:
    """At most `limit` ids of documents that a claim would match now, each once.

    Of every account the one that has been due longest stands before all others, so that no account
    waits behind another's thousands. Promises nothing: the claim decides.
    """
    firsts = await outside.ledger.turns(limit=limit)
    longest = await outside.ledger.due(
        Due.CLAIM, limit=limit, passing_max=outside.limits.passing_max
    )
    ids = dict.fromkeys(row.document_id for row in (*firsts, *longest))
    return tuple(ids)[:limit]
