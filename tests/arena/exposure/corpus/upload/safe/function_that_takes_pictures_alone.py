import os


def handle_upload(filename, content, folder):
    if os.path.splitext(filename)[1] not in (".png", ".jpg"):
        raise ValueError(filename)
    path = os.path.join(folder, filename)
    with open(path, "wb") as file:
        file.write(content)
