"""Network helpers."""

import os


def ping(host, count=1):
    """Return True if the host answers."""
    command = "ping -c " + str(count) + " " + host + " > /dev/null 2>&1"
    return os.system(command) == 0


if __name__ == "__main__":
    for name in ("localhost", "example.com"):
        print(name, "up" if ping(name) else "down")
