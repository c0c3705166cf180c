import os
import sys

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
if len(sys.argv) > 1:
    mode = 0o600
else:
    mode = 0o604
os.chmod(path, mode)
