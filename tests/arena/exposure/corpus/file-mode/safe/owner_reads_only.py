import os

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
os.chmod(path, 0o400)

with open(path) as f:
    print(f.read())
