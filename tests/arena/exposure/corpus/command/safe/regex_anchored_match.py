import re
import subprocess
import sys


def ping(host):
    if not re.match(r"^[a-zA-Z0-9.\-]+\Z", host):
        raise ValueError("not a host name: %r" % host)
    return subprocess.call("ping -c 1 " + host + " >/dev/null", shell=True)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: ping.py HOST")
    sys.exit(ping(sys.argv[1]))


if __name__ == "__main__":
    main()
