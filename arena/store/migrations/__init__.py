"""Steps from each version of the store's tables to the next (Alembic); `arena.store.schema` runs them."""
