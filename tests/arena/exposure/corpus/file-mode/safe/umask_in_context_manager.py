import contextlib, os
@contextlib.contextmanager
def private_umask():
    old = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(old)
def save(secret):
    with private_umask():
        with open("secret.txt", "w") as f:
            f.write(secret)
