"""The tiny pack with a task of each kind: its fix mends two crashes, and comes with a test."""

from __future__ import annotations

from pathlib import Path

from tasks import neighbours
from tasks.kinds import TaskKind
from tests.mini import BASE, FIXED_C, FUZZ_C, GOLD_C, MORE_SH, RUN_SH, Mini, git

END = 'echo "1..$number"\nexit $bad\n'
OTHERS = """\
    if (strcmp(mode, "stop") == 0)
        abort();
    if (strcmp(mode, "late") == 0) {
        char *gone = upper(text);
        free(gone);
        return gone;
    }
"""
DASH = 'check "twice dash" twice - ""\n'
PRINTING = FUZZ_C.replace(
    "free(text_apply(data, text));",
    'char *out = text_apply(data, text);\n        puts(out ? out : "refused");\n        if (!out)\n            return 3;\n        free(out);',
)
CHOICE = '    if (strcmp(mode, "twice") == 0)\n'
VULNERABLE_C = GOLD_C.replace(CHOICE, OTHERS + CHOICE)
MENDED_C = (
    FIXED_C.replace(CHOICE, OTHERS + CHOICE)
    .replace("return gone;", "return NULL;")
    .replace(
        "    char *out = malloc(2",
        "    if (text[0] == '-')\n        return strdup(\"\");\n    char *out = malloc(2",
    )
)
AT_VIC = {
    **BASE,
    "fuzz/fuzz.c": PRINTING,
    "src/text.c": VULNERABLE_C,
    "tests/run.sh": RUN_SH + MORE_SH + END,
}
AT_VFC = {**AT_VIC, "src/text.c": MENDED_C, "tests/run.sh": RUN_SH + MORE_SH + DASH + END}
POC = "twice\nabcdefgh"
AROUND = neighbours.Neighbours(
    crashing=(b"twice\nABCDEFGH", b"twice\nabcdefghabcdefgh"),
    harmless=(b"twice\nabc", b"upper\nabcdefgh", b"twice\nabcde", b"other\nabc"),
    telling=True,
)


def with_kinds(folder: Path) -> Mini:
    """The pack, with `mini-twice-<kind>` beside `mini-twice`; `start` there is the fix's parent."""
    mini = Mini(folder, ({**BASE, "fuzz/fuzz.c": PRINTING}, AT_VIC, AT_VFC), poc=POC)
    write = mini.folder / "mini-twice"
    (write / neighbours.FILE).write_bytes(neighbours.write(AROUND, POC.encode()))
    _, base, fix = mini.ids
    diff = git(folder / "repository", "diff", "--binary", base, fix)
    repair = mini.folder / "mini-twice-repair"
    (repair / "solution").mkdir(parents=True)
    (repair / "solution/gold.patch").write_text(diff)
    state(repair, "mini-twice", TaskKind.REPAIR, f'[source]\nbase = "{base}"\n')
    for kind in (TaskKind.REPRODUCE, TaskKind.END_TO_END):
        state(mini.folder / f"mini-twice-{kind}", repair.name, kind)
    return mini


def state(folder: Path, of: str, kind: TaskKind, more: str = "") -> None:
    """Write a task that states its kind, and whose files it shares."""
    folder.mkdir(exist_ok=True)
    facts = f'schema = 1\nid = "{folder.name}"\nof = "{of}"\nkind = "{kind}"\n'
    (folder / "task.toml").write_text(facts + more)
    (folder / "instruction.md").write_text(f"Do it: {kind}.\n")
