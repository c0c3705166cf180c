import os
import time

path = "token.txt"
with open(path, "w") as handle:
    handle.write("abc")
os.chmod(path, 0o600)
time.sleep(1)
# let the backup program read it
os.chmod(path, 0o660)
