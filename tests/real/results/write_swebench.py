"""Writes a genuine summary and reports of SWE-bench below the current folder: run by its Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from swebench.harness.constants import (  # type: ignore[import-not-found,unused-ignore]
    LOG_INSTANCE,
    LOG_REPORT,
    RUN_EVALUATION_LOG_DIR,
)
from swebench.harness.reporting import (  # type: ignore[import-not-found,unused-ignore]
    make_run_report,
)

patch = Path(sys.argv[1]).read_text()
tasks = {"alpha": patch, "beta": patch, "gamma": patch, "delta": ""}
predictions = {
    task: {"instance_id": task, "model_name_or_path": "openai/m", "model_patch": text}
    for task, text in tasks.items()
}
Path("preds.jsonl").write_text("".join(json.dumps(p) + "\n" for p in predictions.values()))
folder = RUN_EVALUATION_LOG_DIR / "run1" / "openai__m"
for task, resolved in (("alpha", True), ("beta", False)):
    (folder / task).mkdir(parents=True)
    (folder / task / LOG_REPORT).write_text(json.dumps({task: {"resolved": resolved}}))
(folder / "gamma").mkdir()
(folder / "gamma" / LOG_INSTANCE).write_text("Error response from daemon\n")
make_run_report(predictions, [{"instance_id": task} for task in (*tasks, "omega")], "run1")
