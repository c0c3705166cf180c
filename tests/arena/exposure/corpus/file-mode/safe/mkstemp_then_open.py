import os
import tempfile

handle, path = tempfile.mkstemp(prefix="secret")
os.close(handle)
with open(path, "w") as out:
    out.write("secret")
print("written to", path)
