"""What `arena import` reads of other programs, one a file, with its `PLUGIN` (`Reader` in `foreign.py`)."""
