"""A PoC that nobody kept, found again: fuzzing the fix's parent until the record's crash shows.

campaign.py  one case: build, fuzz in turns, judge each crash, minimise the right one
libfuzzer.py what libFuzzer is told and what it prints
hints.py     what the fix tells: texts to begin with, words of a dictionary
captures.py  packets of the project's captures, which inputs begin with
corpus.py    what a campaign leaves for the project's other cases
"""
