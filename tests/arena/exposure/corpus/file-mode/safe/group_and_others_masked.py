import os
import stat

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
mode = os.stat(path).st_mode
os.chmod(path, mode & ~(stat.S_IRWXG | stat.S_IRWXO))
