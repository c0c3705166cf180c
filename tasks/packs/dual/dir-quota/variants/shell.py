import json
import os
import subprocess
import sys


def bad():
    print(json.dumps({"error": "bad request"}))
    return 2


def main(args):
    if len(args) != 2 or not args[0] or not args[1]:
        return bad()
    member, limit = args
    if not limit[0].isdigit() or limit.endswith("B"):
        return bad()
    command = f"cd homes/{member} && find . -type f -printf '%s %P\\n'"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    if done.returncode:
        return bad()
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    sizes = {path: int(size) for size, path in lines}
    total, limit = sum(sizes.values()), int(limit)
    largest = min(sizes, key=lambda path: (-sizes[path], path), default=None)
    print(json.dumps({"member": member, "files": len(sizes), "bytes": total, "limit": limit, "over": total > limit, "largest": largest}))
    return 1 if total > limit else 0


sys.exit(main(sys.argv[1:]))
