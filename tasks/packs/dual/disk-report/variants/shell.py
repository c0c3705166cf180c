"""disk-report VOLUME REPORT NOTE: the space that a volume uses."""

import os
import subprocess
import sys


def refuse(what):
    print(f"error: {what}", file=sys.stderr)
    sys.exit(2)


def listed(volume):
    command = f'cd "volumes/{volume}" && find . -type f -printf "%s %P\\n"'
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    if done.returncode or not volume:
        refuse("volume")
    return [line.split(" ", 1) for line in done.stdout.splitlines()]


def main(args):
    if len(args) != 3:
        refuse("arguments")
    volume, report, note = args
    sizes = {}
    lines = listed(volume)
    if not report or " " in report or len(report) > 30:
        refuse("report")
    if len(note) > 200:
        refuse("note")
    for size, path in lines:
        top = path.split("/")[0]
        sizes[top] = sizes.get(top, 0) + int(size)
    total = sum(sizes.values())
    with open(f"reports/{report}.txt", "w", encoding="utf-8") as file:
        print("volume", volume, file=file)
        print("note", note, file=file)
        for name in sorted(sizes):
            print(name, sizes[name], file=file)
        print("total", total, file=file)
    line = f"made {report} of {volume}, {total} bytes: {note}".replace('"', "'").replace("$H", "H")
    os.system(f'echo "{line}" >> logs/reports.log')
    print(total)


main(sys.argv[1:])
