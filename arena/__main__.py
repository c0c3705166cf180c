"""`python -m arena`: the command `arena`."""

from arena.cli.main import main

main()
