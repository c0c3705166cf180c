"""Readers of `arena import` for foreign programs: a file each, whose `PLUGIN` is a `ForeignReader`."""
