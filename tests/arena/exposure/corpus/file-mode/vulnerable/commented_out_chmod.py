import os
import stat

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")

# os.chmod(path, 0o600)
print("os.chmod(path, stat.S_IRUSR)")
