import os

NAMES = ["secret.txt", "secret.bak"]
for name in NAMES:
    with open(name, "w") as f:
        f.write("secret")
    os.chmod(name, 0o600)
