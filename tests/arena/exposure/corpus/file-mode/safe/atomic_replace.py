import os
import tempfile

fd, temporary = tempfile.mkstemp(dir=".")
with os.fdopen(fd, "w") as f:
    f.write("secret")
os.replace(temporary, "secret.txt")
