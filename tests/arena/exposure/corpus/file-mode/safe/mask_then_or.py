import os
import stat as st

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
os.chmod(path, (os.stat(path).st_mode & ~0o077) | st.S_IRUSR)
