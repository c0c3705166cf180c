"""Text -> facts: no input or output, nothing trusted, linear time, bounded memory.

- `reports/`     test reports, one file a format · `outcomes.py` what a test came to
- `crashes/`     sanitizer reports, one file a kind · `cwe.py`
- `patch.py`     git's unified diffs, and what is dangerous in them
- `sarif.py`     static-analysis findings
- `registry.py`  plug-ins by file name · `text.py` bytes to bounded, clean text
- `log_prefix.py` what a log puts before each line
"""
