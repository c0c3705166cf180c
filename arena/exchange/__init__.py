"""Runs out of a store and into one, in the forms that other programs read.

- `source.py`    what is exported: the chosen attempts of one run, one at a time
- `columns.py`   an attempt as one flat row with typed columns
- `groups.py`    attempts by column and replicate, and names of files for them
- `transcript.py` an attempt as Inspect's messages and events
- `atif.py`      the trajectory of an attempt as ATIF, and as messages of a chat
- `spans.py`     an attempt as a trace; `otlp.py`: traces by OpenTelemetry's SDK
- `job_folder.py` a run as a job folder of Harbor
- `whole.py`     a whole run as one file: what is in it
- `opening.py`   a whole run's file opened, with everything in it checked
- `attestation.py` the in-toto statement on such a file; `signing.py`: its signature
- `importing.py` such a file -> a run of a store
- `bounded.py`   files of other programs read within bounds; `eval_log.py`: the members of an Inspect log
- `chat.py`      messages of a chat as a trajectory
- `foreign.py`   attempts and verdicts of other programs as a run; `foreign_import.py`: what is graded here
- `readers/`     one program a file, with its `PLUGIN` (`ForeignReader` in `foreign.py`)
- `formats/`     one format a file, with its `PLUGIN` (`Format` in `source.py`)
- `harbor/`      a task of the track `repo` as a task of Harbor
"""
