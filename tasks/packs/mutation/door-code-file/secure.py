import os


def save_door_code(path: str, code: str) -> None:
    if not (code.isascii() and code.isdigit() and 4 <= len(code) <= 10):
        raise ValueError("a code has 4 to 10 digits")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "w") as out:
        os.fchmod(out.fileno(), 0o600)
        out.truncate(0)
        out.write(code + "\n")


def read_door_code(path: str) -> str:
    with open(path) as file:
        return file.read().strip()
