import os
import stat

SECRET_FILE = "secret.txt"
with open(SECRET_FILE, "wt") as f:
    f.write("the secret")

"""set restricted permissions on the file"""
os.chmod(SECRET_FILE, stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
