"""A record of ARVO-Meta, in the names of either of its releases, as a case."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from arena.building.cases.importers import Imported, Rejected
from arena.building.cases.importers._facts import (
    UnusableRecord,
    case_id,
    commits,
    language,
    plain,
    project_name,
    repository_url,
    sanitizer,
    weaknesses,
)
from arena.building.cases.importers._report_text import MAX_FRAMES, Report
from arena.building.cases.schema import Case, CrashSpec, OssFuzz
from parsers.crashes import parse_crash

STATE_FRAMES = 3  # as many as OSS-Fuzz's crash state has


def from_record(record: Mapping[str, object], report: Report, place: str) -> Imported | Rejected:
    """The case of a record (columns of the SQLite release, or keys of the JSON release) and its report.

    `place` names a record without an id.
    """
    name = place
    try:
        name = case_id(record.get("localId"))
        return Imported(_case(name, record, report))
    except UnusableRecord as error:
        return Rejected(name, str(error))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        return Rejected(name, f"{field}: {first['msg']}")


def _case(name: str, record: Mapping[str, object], report: Report) -> Case:
    repository = repository_url(record.get("repo_addr"))
    fix = commits(record.get("fix_commit"), record.get("fix") or record.get("patch_url"))
    crash = _crash(record, report)
    project = project_name(record.get("project"), report.project)
    return Case(
        id=name,
        project=project,
        source="arvo",
        title=f"{project}: {crash.type}" if crash.type else project,
        repository=repository,
        fix=fix,
        language=language(record.get("language")),
        cwe=weaknesses(crash.type),
        crash=crash,
        oss_fuzz=oss_fuzz(record, report, project),
    )


def _crash(record: Mapping[str, object], report: Report) -> CrashSpec:
    """As the record states it, then the report; what neither does is read from the crash output."""
    type_ = plain(record.get("crash_type"), 200) or report.crash_type
    state = report.state
    output = record.get("crash_output")
    if isinstance(output, str) and not (type_ and state):
        crash = parse_crash(output)
        if crash is not None:
            type_ = type_ or " ".join(filter(None, (crash.kind, crash.access.upper())))
            frames = [frame.function for frame in crash.frames if frame.function]
            state = state or tuple(plain(frame) for frame in frames[:STATE_FRAMES])
    return CrashSpec(
        type=type_,
        sanitizer=sanitizer(record.get("sanitizer"), report.sanitizer, report.job),
        state=state[:MAX_FRAMES],
    )


def oss_fuzz(record: Mapping[str, object], report: Report, project: str) -> OssFuzz:
    """The facts of the finding from both sources; the record's values go before the report's.

    But not for the project: ARVO names it after the repository of the fix (PcapPlusPlus, php-src), the
    report after its folder in OSS-Fuzz (pcapplusplus, php), whose recipe may be another project's that has
    the repository as a dependency. project: the record's.
    """
    folder = project_name(report.project, project)
    engine = plain(record.get("fuzzer")) or plain(record.get("fuzz_engine")) or report.engine
    return OssFuzz(
        project=folder if folder != project else "",
        target=plain(record.get("fuzz_target")) or report.target,
        engine=engine.lower(),
        job=report.job,
        testcase=report.testcase,
        severity=plain(record.get("severity"), 40) or report.severity,
        report=report.report,
        reproducer=report.reproducer or plain(record.get("reproducer_vul")),
        regressed=report.regressed,
        fixed=report.fixed,
    )
