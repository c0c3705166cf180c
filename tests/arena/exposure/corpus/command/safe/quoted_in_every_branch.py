import shlex
import subprocess
import sys


def command_for(host):
    target = shlex.quote(host)
    if sys.platform.startswith("win"):
        return "ping -n 1 " + target
    else:
        return "ping -c 1 " + target


def ping(host):
    return subprocess.run(command_for(host), shell=True).returncode


if __name__ == "__main__":
    print(ping(sys.argv[1]))
