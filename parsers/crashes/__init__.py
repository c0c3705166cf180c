"""Sanitizer and crash reports, one file for each kind of report.

Each file's `PLUGIN` is a `parsers.crash.Format`: the markers that find its header line, the reader
that turns a report into a `parsers.crash.Crash`, and real reports with what they parse to.
`_stack` reads stack frames and names, `_report` reads what all reports share.
"""
