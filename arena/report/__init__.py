"""From attempts to what people look at.

- `metrics.py`  counts and rates of labels, with the bounds that unlabelled attempts could move them to
- `tables.py`   tables for the terminal, CSV
- `html.py`, `page.html`   one self-contained page
"""
