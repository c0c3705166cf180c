"""From attempts to what people look at.

- `metrics.py`  counts and rates of labels, with the bounds that unlabelled attempts could move them to
- `tables.py`   tables for the terminal, CSV
- `html.py`, `page.html`   one self-contained page
- `frame.html`, `grids.html`   the frame of all pages, and tables in them
- `statistics.py`  intervals, paired tests, agreement
- `grid.py`     tables of plain cells: text, CSV, Markdown
- `svg.py`      parts of figures
- `labels.py`   labels of people, read from files
- `ratings.py`  one class against such labels: precision, recall, F1
"""
