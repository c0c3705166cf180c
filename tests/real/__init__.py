"""The newest release of each outside tool that the product reads or drives, beside the pinned one.

One file for each tool: it runs the tool on small input whose truth is known, by `compare_releases`. Needs a
package index; run by `./scripts/test --real`, which ends with a table for docs/benchmarks.md.
"""
