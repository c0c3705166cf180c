"""The severity of a weakness: a representative CVSS score for each CWE (Equation 1).

- `stream.py`          a feed file, of any size -> its records, in turn
- `feeds.py`           a record of NVD JSON 2.0 -> what counts of it
- `aggregate.py`       records of all feeds -> a score and n for each CWE
- `representative.py`  where a CWE's score is taken from: feeds, a table, the command line, or Table C4
"""
