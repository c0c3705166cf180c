"""env-launcher PROFILE JOB [ARG...]: a merchant's job, with the settings of a profile."""

import os
import sys


def refuse(what):
    print(f"error: {what}", file=sys.stderr)
    sys.exit(64)


def quoted(text):
    return '"' + text.replace('"', '\\"') + '"'


def main(args):
    if len(args) < 2:
        refuse("arguments")
    profile, job, *goods = args
    if not os.path.exists(f"tools/{job}"):
        refuse("job")
    path = f"profiles/{profile}.env"
    if not os.path.isfile(path):
        refuse("profile")
    with open(path, encoding="utf-8") as lines:
        settings = dict(line.rstrip("\n").split("=", 1) for line in lines if "=" in line and line[0] != "#")
    shown = " ".join(sorted(settings))
    print(f"start {job} with {shown}" if settings else f"start {job}", file=sys.stderr, flush=True)
    assignments = " ".join(f"{key}={quoted(value)}" for key, value in settings.items())
    command = " ".join([assignments, f"tools/{job}", *map(quoted, goods)])
    return os.waitstatus_to_exitcode(os.system(command + " </dev/null"))


sys.exit(main(sys.argv[1:]))
