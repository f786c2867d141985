"""How the schema came to be: Alembic revisions, run by `adapters.store.schema`."""
