"""The command line: a file for each noun, combined in `main.py`.

Exit codes: 0 done · 1 a check failed · 2 a user's mistake · 3 some attempts have no label, or the
machine is at fault.
"""
