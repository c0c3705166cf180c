import os
from stat import *

name = "secret.txt"
with open(name, "w") as f:
    f.write("secret")
os.chmod(name, S_IREAD | S_IWRITE)
