"""A file for each version; its number is in `arena.store.schema.REVISIONS` as well."""
