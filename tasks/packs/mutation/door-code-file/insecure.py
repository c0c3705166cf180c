import os


def save_door_code(path: str, code: str) -> None:
    if not (code.isascii() and code.isdigit() and 4 <= len(code) <= 10):
        raise ValueError("a code has 4 to 10 digits")
    with open(path, "w") as out:
        out.write(code + "\n")
    os.chmod(path, 0o644)


def read_door_code(path: str) -> str:
    with open(path) as file:
        return file.read().strip()
