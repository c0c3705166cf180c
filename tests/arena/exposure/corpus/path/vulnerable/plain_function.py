import os

IMAGE_DIR = "images"


def load_image(name):
    """Load an image of the folder and give its bytes."""
    path = "{}/{}".format(IMAGE_DIR, name)
    if os.path.isdir(path):
        raise ValueError("a folder")
    with open(path, mode="rb") as stream:
        return stream.read()


if __name__ == "__main__":
    print(len(load_image("cat.png")))
