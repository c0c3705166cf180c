"""The newest release of each outside tool that the product reads or drives, beside the pinned one.

Test frameworks are folders of `programs/`: a program, and `truth.toml` with what its tests came to.
One file for each other tool: it runs the tool on small input whose truth is known, by `compare_releases`. Needs a
package index; run by `./scripts/test --real`, which ends with a table for docs/benchmarks.md.
"""
