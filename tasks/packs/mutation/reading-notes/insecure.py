from pathlib import Path


def read_note(folder: Path, name: str) -> str:
    """Return the text of the note `name` of `folder`."""
    note = folder / f"{name}.txt"
    if not note.is_file():
        raise FileNotFoundError(f"no note {name!r}")
    return note.read_text(encoding="utf-8")
