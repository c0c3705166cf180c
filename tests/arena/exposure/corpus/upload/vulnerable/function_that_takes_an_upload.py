import os


def handle_upload(filename, content, folder):
    path = os.path.join(folder, filename)
    with open(path, "wb") as file:
        file.write(content)
