"""The command line: one file for each noun, put together in `main.py`.

Exit codes: 0 done · 1 a check did not hold · 2 a user's mistake · 3 some attempts have no label, or the
machine is at fault.
"""
