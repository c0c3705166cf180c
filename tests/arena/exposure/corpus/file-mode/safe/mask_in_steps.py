import os
import stat

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
mode = os.stat(path).st_mode
mode &= ~stat.S_IRWXG
mode &= ~stat.S_IRWXO
os.chmod(path, mode)
