import os

info = "U29tZXRoaW5n"
path = "info.txt"
with open(path, "w") as f:
    f.write(info)

os.chmod(path, 0o644)
