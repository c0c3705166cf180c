"""The tiny task as a shell script, which needs no compiler: `shell_mini` makes a pack of it.

What a sanitizer would report is printed by the fuzz script, where the script under test leaves out its check.
"""

from __future__ import annotations

from pathlib import Path

from tests.mini import END, MORE_SH, RUN_SH, TASK, Mini

TEXT = """\
case "$1" in
upper) printf '%s\\n' "$2" | tr a-z A-Z ;;
# more modes
*) exit 2 ;;
esac
"""
TWICE = """twice) printf '%s%s\\n' "$2" "$2" ;;\n"""
CHECKED = """twice) [ ${#2} -lt 8 ] && printf '%s%s\\n' "$2" "$2" ;;\n"""
FUZZ = """\
if grep -q '^twice)' src/text.sh && ! grep -q 'lt 8' src/text.sh; then
    echo '==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018 at pc 0x1 bp 0x2 sp 0x3'
    echo 'WRITE of size 1 at 0x602000000018 thread T0'
    echo '    #0 0x4c1 in twice /src/mini/src/text.c:27:21'
    echo '    #1 0x4c2 in text_apply /src/mini/src/text.c:35:16'
    echo 'SUMMARY: AddressSanitizer: heap-buffer-overflow /src/mini/src/text.c:27:21 in twice'
    exit 1
fi
"""
TOOL = "mkdir -p build && cp src/text.sh build/tool && chmod +x build/tool"
SHARED = {"fuzz/fuzz.sh": FUZZ, ".gitignore": "build/\n"}
BASE = {**SHARED, "src/text.sh": TEXT, "tests/run.sh": RUN_SH + END}
VIC = {
    **SHARED,
    "src/text.sh": TEXT.replace("# more modes\n", TWICE),
    "tests/run.sh": RUN_SH + MORE_SH + END,
}
VFC = {**VIC, "src/text.sh": TEXT.replace("# more modes\n", CHECKED)}


def shell_mini(folder: Path, image: str, build: str = TOOL) -> Mini:
    """The pack; its task starts from `image`, and is built by the command `build`."""
    task = (
        TASK.replace('"arena/cpp"', f'"{image}"')
        .replace('"make build/tool"', f'"{build}"')
        .replace("make check", "sh tests/run.sh > build/results.tap")
        .replace('"make build/fuzz"', '"true"')
        .replace("./build/fuzz", "sh fuzz/fuzz.sh")
        .replace('"Makefile"]', '"tests/run.sh"]')
    )
    return Mini(folder, (BASE, VIC, VFC), task)
