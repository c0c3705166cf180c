"""Runs out of a store and into one, in the forms that other programs read.

- `source.py`    what is exported: the chosen attempts of one run, one at a time
- `columns.py`   an attempt as one flat row with typed columns
- `groups.py`    attempts by column and replicate, and names of files for them
- `transcript.py` an attempt as Inspect's messages and events
- `atif.py`      the trajectory of an attempt as ATIF, and as messages of a chat
- `job_folder.py` a run as a job folder of Harbor
- `whole.py`     a whole run as one file: what is in it
- `opening.py`   a whole run's file opened, with everything in it checked
- `importing.py` such a file -> a run of a store
- `formats/`     one format a file, with its `PLUGIN` (`Format` in `source.py`)
- `harbor/`      a task of the track `repo` as a task of Harbor
"""
