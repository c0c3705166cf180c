"""Finds a lost PoC again: fuzzing the fix's parent until the record's crash shows.

campaign.py  a campaign: build, fuzz in turns, judge each crash, minimise the right input
libfuzzer.py command lines for libFuzzer and its output
hints.py     facts of the fix: initial texts, words of a dictionary
captures.py  packets of the project's captures, which inputs begin with
corpus.py    the results of a campaign that serve the project's remaining cases
"""
