"""The dashboard's page: its data, and the forms in which it is written.

- `data.py`    rows of a store as columns of numbers: the JSON that the page counts with
- `bundle.py`  the page's modules as a single script
- `page.py`    a self-contained file, or a folder for a web server
- `static/`    the page: modules without a framework, which draw everything themselves
"""
