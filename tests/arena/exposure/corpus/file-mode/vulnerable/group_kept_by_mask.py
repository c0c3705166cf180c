import os
import stat

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
current = stat.S_IMODE(os.lstat(path).st_mode)
os.chmod(path, current & ~stat.S_IRWXO)
