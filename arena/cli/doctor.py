"""`arena doctor`: what is here, what is missing, and how to get it."""

from __future__ import annotations

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit
from arena.report.text import one_line


def command(as_json: options.Json = False) -> None:
    from arena.doctor import examine

    findings = examine()
    if as_json:
        emit([vars(finding) for finding in findings])
    else:
        for finding in findings:
            print(f"{finding.mark:<8}{one_line(finding.summary)}")
    raise typer.Exit(OK if all(f.ok for f in findings if f.needed) else UNMET)
