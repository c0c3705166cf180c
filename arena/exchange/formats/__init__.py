"""Formats for the export of a run, a file each: `lookup("arena.exchange.formats", name)`."""
