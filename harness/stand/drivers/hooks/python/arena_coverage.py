"""Statement coverage of the candidate's files, written as JSON when the program ends.

Which lines are statements is told here too: so the host need not parse the candidate.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from typing import Any


def start(folder: str, root: str) -> None:
    """Record until the program ends: by itself, by `os._exit` or by SIGTERM."""
    try:
        import coverage
    except ImportError:
        return  # this interpreter has it not: no coverage
    recorder = coverage.Coverage(data_file=None, include=[f"{root}*"], config_file=False)
    recorder.set_option("run:disable_warnings", ["no-data-collected", "couldnt-parse"])
    owner = os.getpid()

    def save() -> None:
        recorder.stop()
        _save(recorder, f"{folder}/python-{os.getpid()}.json")

    def ended(number: int, frame: Any) -> None:
        save()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    leave = os._exit

    def leaving(status: int) -> None:
        if os.getpid() == owner:
            save()
        leave(status)

    atexit.register(save)
    os._exit = leaving  # type: ignore[assignment]
    signal.signal(signal.SIGTERM, ended)
    recorder.start()


def _save(recorder: Any, path: str) -> None:
    import json

    data = recorder.get_data()
    told = {}
    for file in data.measured_files():
        try:
            _, statements, _, missing, _ = recorder.analysis2(file)
        except Exception as error:  # noqa: BLE001 - a file that was changed or removed has no coverage
            print(f"coverage: {type(error).__name__}", file=sys.stderr)
            continue
        told[file] = {"all": statements, "ran": sorted(set(statements) - set(missing))}
    with open(path, "w") as file:  # noqa: PTH123
        json.dump(told, file)
