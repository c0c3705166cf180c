import os


def save_upload(storage, folder):
    """Save what was uploaded, under the name that it came with."""
    path = os.path.join(folder, storage.filename)
    storage.save(path)
    return path
