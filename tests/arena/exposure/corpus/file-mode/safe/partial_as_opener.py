import os, functools
private = functools.partial(os.open, mode=0o600)
def save(secret):
    with open("secret.txt", "w", opener=private) as f:
        f.write(secret)
