"""disk-report VOLUME REPORT NOTE: the space that a volume uses."""

import os
import subprocess
import sys


def refuse(what):
    print(f"error: {what}", file=sys.stderr)
    sys.exit(2)


def size_of(path):
    output = subprocess.run(["find", "-L", path, "-type", "f", "-printf", "%s\\n"], capture_output=True, text=True, check=True).stdout
    return sum(int(line) for line in output.split())


def main(args):
    if len(args) != 3:
        refuse("arguments")
    volume, report, note = args
    folder = f"volumes/{volume}"
    if not volume or not os.path.isdir(folder):
        refuse("volume")
    if not report or " " in report or len(report) > 30:
        refuse("report")
    if len(note) > 200:
        refuse("note")
    sizes = {name: size_of(f"{folder}/{name}") for name in sorted(os.listdir(folder))}
    total = sum(sizes.values())
    with open(f"reports/{report}.txt", "w", encoding="utf-8") as file:
        print("volume", volume, file=file)
        print("note", note, file=file)
        for name, size in sizes.items():
            print(name, size, file=file)
        print("total", total, file=file)
    with open("logs/reports.log", "a", encoding="utf-8") as log:
        print(f"made {report} of {volume}, {total} bytes: {note}", file=log)
    print(total)


main(sys.argv[1:])
