"""What a run is exported to, one format a file: `lookup("arena.exchange.formats", name)`."""
