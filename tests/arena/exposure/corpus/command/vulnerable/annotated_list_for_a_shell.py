import subprocess


def run(command: list[str]) -> int:
    return subprocess.run(command, shell=True).returncode
