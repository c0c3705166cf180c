"""Asks tools/probe whether a relay station answers."""

import re
import subprocess

LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
HOST = re.compile(rf"{LABEL}(?:\.{LABEL})*")
RECEIVED = re.compile(r"received=([0-9]+)")


def _is_host(host):
    return isinstance(host, str) and len(host) <= 253 and HOST.fullmatch(host) is not None


def answers(host, count):
    """How many of `count` packets came back, or None where host or count cannot be."""
    if not _is_host(host):
        return None
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        return None
    done = subprocess.run(
        ["tools/probe", "-c", str(count), host], capture_output=True, text=True, check=False
    )
    return int(RECEIVED.search(done.stdout).group(1))
