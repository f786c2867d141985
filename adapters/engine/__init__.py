"""How workers get their work: from the ledger in process, or woken by an engine on PostgreSQL.

An engine says "look at document X" and owns no state: the document's row is the queue and the
claim. What it says may be said twice, late, or never. Begin with `choosing`.
"""
