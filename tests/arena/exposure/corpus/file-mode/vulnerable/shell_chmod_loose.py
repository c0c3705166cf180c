import subprocess

name = "secret.txt"
with open(name, "w") as out:
    out.write("secret")
subprocess.call(["chmod", "755", name])
