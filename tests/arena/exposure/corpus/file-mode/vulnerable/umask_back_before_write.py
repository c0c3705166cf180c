import os

old = os.umask(0o077)
os.umask(0o022)
with open("secret.txt", "w") as f:
    f.write("secret")
