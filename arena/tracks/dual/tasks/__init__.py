"""Packs of the track `dual`: a specification with a functional and a security suite.

    <pack>/pack.toml                      name, version, licence, track = "dual"
    <pack>/<task-id>/task.toml            facts, the io block, the place, the variants: see `schema.py`
    <pack>/<task-id>/instruction.md       the specification, in any language's words
    <pack>/<task-id>/tests.json           {"functional": [...], "security": [...]}
    <pack>/<task-id>/fixtures/            copied afresh into the working folder for each test
    <pack>/<task-id>/reference/           solution.py, and solution.js, solution.cpp where there are such
    <pack>/<task-id>/variants/            insecure and broken programs, which tests must fail;
                                          whole, or diffs of the reference (`tasks/derived_file.py`)
    <pack>/<task-id>/origin.json          of an imported task: the file it came from, as it was

`schema.py` the models · `pack.py` loading · `values.py` values with tags · `dualgauge/` the import
"""
