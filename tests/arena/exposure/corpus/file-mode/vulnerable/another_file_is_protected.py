import os

with open("secret.txt", "w") as f:
    f.write("the secret")

with open("secret.bak", "w") as f:
    f.write("the secret")

os.chmod("secret.txt", 0o600)
