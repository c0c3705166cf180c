import subprocess

name = "secret.txt"
with open(name, "w") as out:
    out.write("secret")
subprocess.run(["chmod", "600", name], check=True)
