"""Reads a Python program without running it: calls, where values come from, what guards what.

    trace = read(source)              raises NotPython where it does not compile

- `facts.py`       what a reading tells: `Trace`, its calls, returns, comparisons, values, flows, checks
- `reading.py`     the way through a program: the module, handlers, then functions that nothing called
- `core.py`        the reader's state · `statements.py`, `expressions.py`, `calls.py`, `functions.py`
- `conditions.py`  a condition -> checks that hold
- `matching.py`    a pattern of `match` -> checks · `ways.py` what is known where ways come together
- `building.py` text that is put together, constants folded
- `sources.py`     where data comes in, and web handlers · `library.py` what passes data on
"""
