import contextlib
import os


@contextlib.contextmanager
def group_umask():
    old = os.umask(0o007)
    try:
        yield
    finally:
        os.umask(old)


def save(secret):
    with group_umask(), open("secret.txt", "w") as f:
        f.write(secret)
