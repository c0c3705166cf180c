"""Contamination: finding and reducing what a model has in its training data (SecMutBench, Section 3.1).

Four independent stages:

- `dates.py`       programs that name an old CVE are filtered
- `rewritings/`    structural perturbation: a rewriting for each file, all keep the behaviour
- `renaming.py`    different identifiers, in the program and its tests alike
- `ngrams.py`      the audit: Jaccard similarity of token 5-grams with the documents of a corpus

`perturbing.py` applies rewritings and renaming to a program with all its versions; `proof.py` shows by the
program's tests that it behaves as before.
"""
