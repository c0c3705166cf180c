"""From cases to a pack of checked tasks, in steps that can lose a case, each with its reason.

confirm.py   a case -> B-SZZ's candidates -> the proof of its VIC
patches.py   gold and fixed, from the commits
draft.py     a confirmed case -> a task's folder
finish.py    that folder -> tests, oracle, instruction, checks
pipeline.py  all cases, in parallel; what is done is not done again
funnel.py    how many at each step, and why each of the others was lost
"""
