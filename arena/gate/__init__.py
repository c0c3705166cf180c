"""`arena gate`: the grader's steps on two states of a repository that is no benchmark.

project.py   `project.toml`, in the words of `task.toml`
checkout.py  the two states as git trees: commits, or the working tree
states.py    builds a state in fresh sandboxes, runs its tests, replays its corpus
run.py       the order of the steps, and what BASE's outcomes are cached under
findings.py  what is new at HEAD, and which of it blocks
report.py    the outcome as text and JSON
sarif.py     new findings and crashes for code scanning
junit.py     tests, inputs and findings as JUnit
"""
