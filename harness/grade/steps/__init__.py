"""The steps of grading, in the order in which their findings decide; see docs/labels.md.

`build` and `tests` share a sandbox. `target` and each variant have sandboxes to themselves, so that no
program that the patch brings can change what another step builds or sees; they run beside the tests.
"""
