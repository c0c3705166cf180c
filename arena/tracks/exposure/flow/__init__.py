"""Reads a Python program without running it: calls, where values come from, what guards what.

    trace = read(source)              raises NotPython where it does not compile

- `facts.py`       what a reading tells: `Trace`, its calls, returns, comparisons, values, flows, checks
- `reading.py`     the way through a program: the module, handlers, then functions that nothing called
- `core.py`        the reader's state: frames, what was recorded, the budget
- `statements.py`  node type -> what it does; `definitions.py` names, `branching.py` several ways
- `expressions.py` node type -> what it is worth; `access.py` attributes and elements
- `calls.py`       a call; `functions.py` one of the program's own, `outcomes.py` one of a library
- `conditions.py`  a condition -> checks that hold; `matching.py` of `match`, `flags.py` asked later
- `ways.py`        what is known where ways come together
- `building.py`    text put together, constants folded; `joining.py` addresses and paths
- `sources.py`     where data comes in, web handlers; `options.py` of the command line, `marking.py`
- `library.py`     what passes data on
"""
