"""The product: command line, tracks, sweeps, store, reports.

- `cli/`       one file a noun · `doctor.py` what a machine has and lacks
- `tracks/`    what is particular to each track (`repo`)
- `sweep/`     running many attempts, and going on after being killed
- `store/`     runs, attempts, verdicts, artefacts
- `report/`    metrics, tables, CSV, one HTML page
"""
