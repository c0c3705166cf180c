import subprocess
import sys


def run_it(words):
    """Run a command given on the command line, ping by default."""
    if not words:
        words = ["ping", "localhost"]
    return subprocess.call(" ".join(words), shell=True)


if __name__ == "__main__":
    sys.exit(run_it(sys.argv[1:]))
