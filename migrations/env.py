"""Alembic's entry: migrate the open connection that the program hands over, in its transaction."""

from alembic import context
from sqlmodel import SQLModel

from app.store import tables  # noqa: F401 - registers the tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    compare_type=False,  # to SQLite, TEXT and VARCHAR are the same
)
with context.begin_transaction():
    context.run_migrations()
