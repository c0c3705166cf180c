import subprocess

FILE = "/etc/secret"
with open(FILE, "w") as f:
    f.write("secret")
subprocess.Popen(["sudo", "/bin/chmod", "-v", "0400", FILE]).wait()
