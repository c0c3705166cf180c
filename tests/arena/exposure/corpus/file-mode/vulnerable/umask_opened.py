import os

old = os.umask(0)
with open("secret.txt", "w") as out:
    print("secret", file=out)
os.umask(old)
