import os

p = "secret.txt"
with open(p, "w") as f:
    f.write("secret")
os.chmod(p, 0o000)
os.chmod(p, 0o0000)
