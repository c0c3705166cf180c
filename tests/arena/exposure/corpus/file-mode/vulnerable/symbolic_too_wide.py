import os

fname = "secret.txt"
with open(fname, "w") as f:
    f.write("secret")
os.system(f"chmod u+rw,g+r,o-rwx {fname}")
