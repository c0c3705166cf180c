import os

FILE = "secret.txt"

with open(FILE, "w") as out:
    out.write("secret")

os.system("chmod a+r " + FILE)
