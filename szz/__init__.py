"""Git history -> candidate inducing commits (SZZ), and the proof of the right commit by replaying a PoC.

shield.py       the environment in which git runs
repository.py   a repository, opened without trust and without leaving a trace in it
change.py       what a fix changes, as blocks of lines
blame.py        which commits introduced a file's lines
paths.py        which files are taken in
code.py         which lines hold code
variant.py      what a variant is, and the functions that variants share
variants/       a file for each variant
trace.py        from fixes to candidates, many at a time
observation.py  the result of building and replaying a revision
proof/          confirmation of a candidate, and the search by the PoC where that fails

As a library:

    from szz.repository import Repository
    from szz.trace import trace
    from szz.variants.b_szz import PLUGIN

    with Repository("path/to/clone") as repository:
        for traced in trace(repository, ["3f116fa"], PLUGIN):
            print(traced.candidates, traced.error)
"""
