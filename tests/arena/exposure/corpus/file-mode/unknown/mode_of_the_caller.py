import os


def keep(path, text, bits):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, bits)
