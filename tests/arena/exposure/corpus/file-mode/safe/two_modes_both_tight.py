import os
import stat

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
mode = stat.S_IREAD if os.name == "nt" else 0o600
os.chmod(path, mode)
