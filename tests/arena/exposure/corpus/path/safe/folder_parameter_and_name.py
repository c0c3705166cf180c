import os

def load_image(folder, picture):
    """Return the bytes of a picture in a folder."""
    base = os.path.abspath(folder)
    full = os.path.abspath(os.path.join(base, picture))
    if not full.startswith(base + os.sep):
        raise ValueError("outside of the folder")
    with open(full, "rb") as f:
        return f.read()

def image():
    return load_image("images", flask.request.args["picture"])
