import subprocess
from typing import List


def run(command: List[str]) -> int:
    return subprocess.run(command, check=True).returncode
