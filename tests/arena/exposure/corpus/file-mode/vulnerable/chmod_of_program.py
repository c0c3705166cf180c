import os
import sys

with open("secret.txt", "w") as f:
    f.write("secret")
os.chmod("secret.sh", 0o700)
