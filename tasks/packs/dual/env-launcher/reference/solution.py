"""env-launcher PROFILE JOB [ARG...]: a merchant's job, with the settings of a profile."""

import os
import re
import subprocess
import sys

PROFILE = re.compile(r"[a-z0-9-]{1,30}")
SETTING = re.compile(r"(APP_[A-Z0-9_]+)=([^\0]*)")
ALWAYS = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


class Refused(Exception):
    pass


def program_of(job):
    with open("jobs.txt", encoding="utf-8") as lines:
        programs = dict(line.rstrip("\n").split(" ", 1) for line in lines if " " in line)
    if job not in programs:
        raise Refused("error: job")
    return os.path.join(".", programs[job])


def settings_of(profile):
    path = os.path.join("profiles", profile + ".env")
    if not PROFILE.fullmatch(profile) or os.path.islink(path) or not os.path.isfile(path):
        raise Refused("error: profile")
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        found = (SETTING.fullmatch(line) for line in file.read().split("\n"))
        return {setting[1]: setting[2] for setting in found if setting}


def main(args):
    if len(args) < 2:
        raise Refused("error: arguments")
    profile, job, *goods = args
    program = program_of(job)
    settings = settings_of(profile)
    keys = " ".join(sorted(settings))
    print(f"start {job} with {keys}" if keys else f"start {job}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [program, "--", *goods], env={**ALWAYS, **settings}, stdin=subprocess.DEVNULL, check=False
    )
    return done.returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refused:
        sys.exit(print(refused, file=sys.stderr) or 64)
