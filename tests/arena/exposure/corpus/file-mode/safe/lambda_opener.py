import os

with open("secret.txt", "w", opener=lambda p, f: os.open(p, f, 0o600)) as out:
    out.write("secret")
