import os

with open("secret.txt", "w") as f:
    f.write("secret")
os.chmod("secret.txt", int("600", 8))
