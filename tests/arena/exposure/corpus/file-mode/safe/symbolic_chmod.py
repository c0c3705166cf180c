import subprocess
import sys

FILE = "secret.txt"
with open(FILE, "w") as out:
    out.write("secret")
if sys.platform != "win32":
    subprocess.check_call("chmod u=rw,go= {}".format(FILE), shell=True)
