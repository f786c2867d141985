"""The ledger in SQL: what is durably true about documents.

Nothing is imported here: SQLAlchemy costs a third of a second, and not every command needs it.
"""
