import os
import subprocess

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
if os.name == "nt":
    subprocess.run(["icacls", path, "/inheritance:r", "/grant:r", os.getlogin() + ":F"])
else:
    os.chmod(path, 0o600)
