from pathlib import Path


def read_note(folder: Path, name: str) -> str:
    """Return the text of the note `name` of `folder`."""
    base = folder.resolve()
    note = (base / f"{name}.txt").resolve()
    if not note.is_relative_to(base):
        raise FileNotFoundError(f"no note {name!r}")
    return note.read_text(encoding="utf-8")
