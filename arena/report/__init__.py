"""Reports from attempts: statistics, tables, figures and pages.

- `selection.py`  which attempts: the filters of the page and the command line
- `leaderboard.py`  what is compared, with rates, scores and cost; `tally.py` counts for it
- `breakdown.py`  leaderboards by CWE, project, language, domain, task
- `clusters.py`, `passk.py`, `pareto.py`  intervals over tasks, pass@k, the front of good against cost
- `paired.py`, `permutation.py`  two columns on the same tasks
- `boards.py`   leaderboard and breakdown as tables of cells
- `metrics.py`  rates of labels of whole attempts
- `tables.py`   the matrix of labels and single attempts for the terminal, CSV
- `board/`   the dashboard's page: a self-contained file, a folder, or served
- `html.py`   the template engine of the tracks' pages
- `frame.html`, `grids.html`   the frame of all pages, and tables in them
- `statistics.py`  intervals, paired tests, agreement
- `names.py`    long names cut where they agree, never where they differ
- `grid.py`     tables of plain cells: text, CSV, Markdown
- `svg.py`      parts of figures
- `labels.py`   labels of people, read from files
- `ratings.py`  a single class against such labels: precision, recall, F1
"""
