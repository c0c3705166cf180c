import os
import shlex

name = "secret.txt"
with open(name, "w") as f:
    f.write("secret")
os.system("chmod go-rwx,u+rw " + shlex.quote(name))
