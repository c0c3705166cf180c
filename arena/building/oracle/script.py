"""The script that asks gcov, or LLVM's by the version that the notes file states, about each object.

`$1` is a folder with `list`, a notes file (.gcno) per line. The script creates `out/` there, with a file
for each object: N.json, or N.txt where JSON is not to be had or too large.
"""

from __future__ import annotations

GATHER = """\
cd "$1" && rm -rf out && mkdir out || exit 1
llvm=$(clang -print-prog-name=llvm-cov 2>/dev/null)
case $llvm in
*/*) ;;
*) llvm=$(command -v llvm-cov) ;;
esac
number=0
while IFS= read -r notes; do
    number=$((number + 1))
    version=$(head -c 8 "$notes" | tail -c 4)
    case $version in
    '*804')
        rm -rf scratch && mkdir scratch
        (cd scratch && "$llvm" gcov -i "$notes" 2>>../out/errors >&2)
        cat scratch/*.gcov 2>/dev/null | head -c 30000000 >"out/$number.txt"
        continue
        ;;
    ?[0-9][0-9]A) tool=gcov-$(printf %s "$version" | cut -c 3) ;;
    ?[0-9][0-9]B) tool=gcov-1$(printf %s "$version" | cut -c 3) ;;
    ?[0-9][0-9]C) tool=gcov-2$(printf %s "$version" | cut -c 3) ;;
    *) tool=gcov ;;
    esac
    command -v "$tool" >/dev/null || tool=gcov
    "$tool" --json-format --stdout "$notes" 2>>out/errors | head -c 8000001 >"out/$number.json"
    size=$(wc -c <"out/$number.json")
    if [ "$size" -eq 0 ] || [ "$size" -gt 8000000 ]; then
        rm "out/$number.json"
        "$tool" --stdout "$notes" 2>>out/errors | head -c 30000000 >"out/$number.txt"
    fi
done <list
tail -c 400 out/errors 2>/dev/null
exit 0
"""
