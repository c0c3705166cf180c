"""Text -> facts: no input or output, nothing trusted, linear time, bounded memory.

- `reports/`     test reports, a file for each format · `outcomes.py` outcomes of tests
- `crashes/`     sanitizer reports, a file for each kind · `cwe.py` CWE ids of crash kinds
- `patch.py`     git's unified diffs, and what is dangerous in them
- `sarif.py`     static-analysis findings
- `registry.py`  plug-ins by file name · `text.py` bytes to bounded, clean text
- `log_prefix.py` what a log puts before each line
"""
