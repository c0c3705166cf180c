import os

secret = "c2VjcmV0LXZhbHVl"
filename = "secret.txt"
with open(filename, "w") as out:
    out.write(secret)

os.chmod(filename, 0o600)
