import os


def read(folder, name):
    with open(os.path.abspath(os.path.join(folder, name))) as file:
        return file.read()
