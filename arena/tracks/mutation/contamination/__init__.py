"""Contamination: what a model may have seen before, told, and made less likely (SecMutBench, Section 3.1).

Four stages, each of its own:

- `dates.py`       programs that name an old CVE are filtered
- `rewritings/`    structural perturbation: one rewriting a file, each keeps the behaviour
- `renaming.py`    other identifiers, in the program and its tests alike
- `ngrams.py`      the audit: Jaccard similarity of token 5-grams with the documents of a corpus

`perturbing.py` applies rewritings and renaming to a program with all its versions; `proof.py` shows by the
program's own tests that it behaves as before.
"""
