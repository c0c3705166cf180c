"""The dashboard's page: what it is given, and the forms in which it is written.

- `data.py`    rows of a store as columns of numbers: the JSON that the page counts with
- `bundle.py`  the page's modules as one script
- `page.py`    one self-contained file, or a folder for a web server
- `static/`    the page: modules without a framework, which draw everything themselves
"""
