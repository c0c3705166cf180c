import os

FOLDER = "notes"


def read_note(name):
    if not name:
        return None
    path = os.path.join(FOLDER, name + ".txt")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as note:
        return note.read()


def list_notes():
    if not os.path.isdir(FOLDER):
        return []
    files = [f for f in os.listdir(FOLDER) if f.endswith(".txt") and os.path.isfile(os.path.join(FOLDER, f))]
    return sorted((f[:-4] for f in files), key=os.fsencode)
