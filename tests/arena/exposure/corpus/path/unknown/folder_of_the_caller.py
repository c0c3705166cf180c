import os


def read(folder):
    with open(os.path.join(folder, "notes.txt")) as file:
        return file.read()
