"""`python -m arena`: the command `arena`."""

from arena.start import main

main()
