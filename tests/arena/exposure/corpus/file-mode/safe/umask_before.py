import os

before = os.umask(0o077)
try:
    with open("secret.txt", "w") as out:
        out.write("secret")
finally:
    os.umask(before)
