import os


def read(folder, name):
    path = os.path.abspath(os.path.join(folder, name))
    if not path.startswith(os.path.abspath(folder) + os.sep):
        raise ValueError(name)
    with open(path) as file:
        return file.read()
