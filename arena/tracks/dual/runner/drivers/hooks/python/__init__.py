"""The folder put on PYTHONPATH: Python imports `sitecustomize` from it before the program."""
