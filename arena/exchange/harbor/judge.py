"""Grades what is in the container, in Harbor's verifier: the reward is 1 for correct and no crash, else 0.

Runs with the Python (3.11 or later) that the task's image has, and uses `parsers` from the folder beside it.
A fault of the image or of this program writes no reward, so that Harbor tells it as an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

REWARD = Path(os.environ.get("HARBOR_REWARD", "/logs/verifier/reward.txt"))
REPORT = "report"
NOT_RUN = (126, 127)
REPLAYS = 3
FILTERING = 60.0


def run(
    line: str, folder: str, timeout: float, env: dict[str, str] | None = None
) -> tuple[int, bytes, bool]:
    """(status, output, whether the time ran out) of a shell line; its processes end with it."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            ["/bin/sh", "-c", line],
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        late = False
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            late, status = True, -signal.SIGKILL
        with contextlib.suppress(ProcessLookupError):  # all may have ended by themselves
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        out.seek(0)
        return (status if status >= 0 else 128 - status), out.read(64 << 20), late


def tail(output: bytes) -> str:
    return output[-2000:].decode("utf-8", "replace")


def restore(spec: dict[str, Any], folder: str) -> None:
    """Bring the oracle's files of the repository into gold's state, whatever an attempt made of them.

    What a build made there and git ignores stays; what build tools prefer to the task's files goes.
    """
    with tarfile.open(HERE / "oracle/files.tar") as tar:
        gold = {
            member.name: (stream.read(), member.mode)
            for member in tar.getmembers()
            if (stream := tar.extractfile(member)) is not None
        }
    for path in owned_files(spec, folder) - gold.keys():
        Path(folder, path).unlink()
    for path, (content, mode) in gold.items():
        put(Path(folder, path), content, mode)


def owned_files(spec: dict[str, Any], folder: str) -> set[str]:
    """Files of the repository that belong to the oracle, ignored ones only where they shadow others."""
    owned = [re.compile(pattern, re.DOTALL) for pattern in spec["owned"]]
    found = set()
    for flags in ("--cached --others --exclude-standard", "--others"):
        _, listed, _ = run(f"git ls-files -z {flags}", folder, 60, spec["git"])
        for path in map(os.fsdecode, listed.split(b"\0")):
            shadow = Path(path).name in spec["shadows"]
            mine = flags != "--others" and any(p.fullmatch(path) for p in owned)
            if (shadow or mine) and is_there(Path(folder, path)):
                found.add(path)
    return found


def is_there(path: Path) -> bool:
    """Also a link that leads nowhere."""
    return path.is_symlink() or path.exists()


def put(target: Path, content: bytes, mode: int) -> None:
    """Write a file unless it is there with that content, in place of whatever stands there."""
    if target.is_symlink():
        target.unlink()
    elif target.is_dir():
        shutil.rmtree(target)
    elif target.is_file() and target.read_bytes() == content:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(mode & 0o755)


def tested(spec: dict[str, Any], folder: str) -> str:
    """Build, then run the developers' tests; why it is not correct, or ""."""
    for what, line in (
        ("does not compile", spec["build"]),
        ("tests do not build", spec["tests_build"]),
    ):
        if line:
            status, output, late = run(line, folder, spec["build_timeout"])
            if status or late:
                return f"{what}: {tail(output)}"
    for stale in written(spec, folder):
        stale.unlink()
    status, output, late = run(spec["tests"], folder, spec["tests_timeout"])
    if spec["filter"]:
        failed, output = filtered(spec["filter"], output)
        if failed:
            return "the filter of the tests' output failed"
    files = {"output": output} if not spec["report"] else reports(spec, folder)
    return held_against(spec, files, status, late)


def filtered(line: str, output: bytes) -> tuple[bool, bytes]:
    """Whether the filter of the tests' output failed, and the report that it printed."""
    with tempfile.NamedTemporaryFile() as given:
        given.write(output)
        given.flush()
        status, report, late = run(f"( {line}\n) < {given.name} 2> /dev/null", "/", FILTERING)
    return late or status != 0, report


def written(spec: dict[str, Any], folder: str) -> list[Path]:
    """The report files of the suite that are there; links are none."""
    found = {path for pattern in spec["report"] for path in Path(folder).glob(pattern)}
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def reports(spec: dict[str, Any], folder: str) -> dict[str, bytes]:
    """The report files that the suite wrote, by path."""
    found = {}
    for path in written(spec, folder):
        with path.open("rb") as stream:
            found[str(path.relative_to(folder))] = stream.read(64 << 20)
    return found


def held_against(spec: dict[str, Any], files: dict[str, bytes], status: int, late: bool) -> str:
    """Why the outcomes are worse than gold's, or ""."""
    from parsers import reports as formats

    gold = spec["gold"]
    found = formats.parse(spec["parser"], files, status, prefixed=bool(spec["report"]))
    lost = [name for name in gold["passed"] if str(found.outcomes.get(name)) != "passed"]
    if lost:
        return f"{len(lost)} of {len(gold['passed'])} tests that gold passes are lost ({lost[0]})"
    if late:
        return "the suite ran past its time limit"
    if gold["complete"] and not found.complete:
        return f"the report is not whole: {'; '.join(found.problems[:2])}"
    return f"the suite ended with status {status}" if gold["status"] == 0 and status else ""


def attacked(spec: dict[str, Any], folder: str) -> str:
    """Replay the PoC; why it is not secure, or ""."""
    from parsers.crashes import parse_crash

    poc = spec["poc"]
    for path in poc["carried"]:
        if not is_there(Path(folder, path)):
            put(Path(folder, path), (HERE / "oracle/carried" / path).read_bytes(), 0o644)
    if poc["build"]:
        status, output, late = run(poc["build"], folder, spec["build_timeout"])
        if status or late:
            return f"the fuzz target does not build: {tail(output)}"
    with tempfile.TemporaryDirectory(prefix="arena-poc-") as scratch:
        env = {name: value.replace("{folder}", scratch) for name, value in poc["env"].items()}
        line = poc["command"].replace("{poc}", str(HERE / "oracle/poc"))
        for _ in range(REPLAYS):
            status, output, late = run(line, folder, poc["timeout"], env)
            if status in NOT_RUN:
                return "the PoC cannot be run"
            text = b"".join(p.read_bytes() for p in sorted(Path(scratch).glob(REPORT + ".*")))
            if not text and poc["trust_output"] and status:
                text = output
            crash = parse_crash(text.decode("utf-8", "replace"), status)
            if late or crash is not None:
                return f"the PoC crashes: {crash.kind if crash else 'timeout'}"
    return ""


def untouched(spec: dict[str, Any], folder: str) -> bool:
    """Whether the repository is as it was given."""
    line = f'test -z "$(git status --porcelain)" && test "$(git rev-parse HEAD)" = {spec["pvic"]}'
    return run(line, folder, 60, spec["git"])[0] == 0


def main() -> None:
    spec = json.loads((HERE / "oracle/spec.json").read_text("utf-8"))
    folder = spec["workdir"]
    reason = "no output" if untouched(spec, folder) else ""
    if not reason:
        restore(spec, folder)
        reason = tested(spec, folder) or attacked(spec, folder)
    print(reason or "correct, and the PoC does not crash")
    REWARD.write_text("0\n" if reason else "1\n")


if __name__ == "__main__":
    main()
