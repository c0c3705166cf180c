"""What an agent's sandbox tells of the task: not its id, which may name the case."""

from __future__ import annotations

import shlex
from pathlib import Path

from harness.agents._at_pvic import workspace_of
from harness.agents.command import ShellCommand
from harness.protocols import Budget, Job
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tests.mini import Mini

ID = "arvo-424242-secret"
LOOK = """\
env; hostname; id; pwd; mount; cat /etc/hostname /etc/hosts 2>/dev/null
cat /proc/self/cgroup /proc/self/mountinfo /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'
git log --all --format='%H %an %ae %cn %ce %s'; git config --list
for top in / /src /out /tmp; do find "$top" -xdev -path /proc -prune -o -print 2>/dev/null; done
grep -rlF {id} /src /out /tmp /etc /home /root /var 2>/dev/null
"""


def test_an_agent_cannot_see_the_tasks_id(backend: Backend, mini: Mini, tmp_path: Path) -> None:
    given = load_pack(mini.folder).tasks[0]
    source = given.spec.source.model_copy(update={"case": f"case-of-{ID}"})
    spec = given.spec.model_copy(update={"id": ID, "title": ID, "source": source})
    (tmp_path / "repositories").symlink_to(mini.folder / "repositories")
    (tmp_path / ID).symlink_to(given.folder)
    task = Task(tmp_path / ID, spec)
    workspace = workspace_of(backend, task)
    try:
        # asked for in two parts, or the question itself would be found among the processes
        asked = LOOK.format(id='"$first$second"')
        line = f"first={shlex.quote(ID[:5])}; second={shlex.quote(ID[5:])}; {asked}"
        told = ShellCommand(line).solve(Job(workspace, task.instruction, Budget(60)))
    finally:
        workspace.close()
    seen = told.trajectory.decode(errors="replace")
    assert "PATH=" in seen
    assert "/src/mini/src/text.c" in seen
    assert "mini@example.org" in seen
    assert ID not in seen
    assert ID[5:11] not in seen.replace(shlex.quote(ID[5:]), "")
    assert given.spec.source.vic not in seen
    assert given.spec.source.vfc not in seen
