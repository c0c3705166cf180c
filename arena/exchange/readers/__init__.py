"""What `arena import` reads of other programs, one a file, with its `PLUGIN` (`ForeignReader` in `foreign.py`)."""
