"""Runs revisions on the connection and inside the transaction that `schema.upgrade` hands over."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table="ledger_schema",
    render_as_batch=True,  # SQLite cannot alter a column in place
)
with context.begin_transaction():
    context.run_migrations()
