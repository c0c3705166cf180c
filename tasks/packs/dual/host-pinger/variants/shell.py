"""Asks tools/probe whether a relay station answers."""

import re
import subprocess

LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
HOST = re.compile(rf"{LABEL}(?:\.{LABEL})*")
RECEIVED = re.compile(r"received=([0-9]+)")


def _is_host(host):
    return host != "" and all(0 < len(part) < 64 and part[-1] != "-" and " " not in part for part in host.split("."))


def answers(host, count):
    """How many of `count` packets came back, or None where host or count cannot be."""
    if not _is_host(host):
        return None
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 5:
        return None
    done = subprocess.run(
        f"tools/probe -c {count} {host}", shell=True, capture_output=True, text=True
    )
    received = RECEIVED.search(done.stdout)
    return int(received.group(1)) if received else 0
