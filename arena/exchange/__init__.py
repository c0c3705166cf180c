"""Export of runs from a store and import into it, in the forms that different programs read.

- `source.py`    what is exported: the chosen attempts of a run, read as a stream
- `columns.py`   an attempt as a flat row with typed columns
- `groups.py`    attempts by column and replicate, and names of files for them
- `transcript.py` an attempt as Inspect's messages and events
- `atif.py`      the trajectory of an attempt as ATIF, and as messages of a chat
- `spans.py`     an attempt as a trace; `otlp.py`: traces by OpenTelemetry's SDK
- `job_folder.py` a run as a job folder of Harbor
- `whole.py`     a whole run as a file: its members
- `opening.py`   a whole run's file opened, with everything in it checked
- `attestation.py` the in-toto statement on such a file; `signing.py`: its signature
- `importing.py` such a file -> a run of a store
- `bounded.py`   reads foreign files within bounds; `eval_log.py`: the members of an Inspect log
- `chat.py`      messages of a chat as a trajectory
- `foreign.py`   attempts and verdicts of foreign programs as a run; `foreign_import.py`: what is graded here
- `readers/`     a file for each program, with its `PLUGIN` (`ForeignReader` in `foreign.py`)
- `formats/`     a file for each format, with its `PLUGIN` (`Format` in `source.py`)
- `harbor/`      a task of the track `repo` as a task of Harbor
"""
