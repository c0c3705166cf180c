"""Taint analysis of a Python program, without running it: sources, propagators, sanitizers, path conditions.

    facts = read(source)              raises NotPython where it does not compile

A detector (`detect/`) looks for its sinks in these facts, and for untrusted flows that reach them unguarded.

- `facts.py`       what the analysis gives: `ProgramFacts`, its calls, returns, comparisons, values, flows,
  checks
- `reading.py`     the order: the module, handlers, then functions that nothing called
- `core.py`        the reader's state: frames, what was recorded, the budget
- `statements.py`  node type -> what it does; `definitions.py` names, `branching.py` several branches
- `expressions.py` node type -> what it is worth; `access.py` attributes and elements, `names.py` as written
- `calls.py`       a call; `functions.py` a function of the program, `library_calls.py` of a library
- `conditions.py`  a condition -> checks that hold; `matching.py` of `match`, `flags.py` of later tests
- `joins.py`       path conditions where branches join, and what data came under them
- `building.py`    text put together, constants folded; `pieces.py` addresses and paths
- `sources.py`     sources, and web handlers; `options.py` of the command line; `tainting.py` taints a value
- `propagators.py` functions of libraries that pass taint on, and those that drop it
"""
