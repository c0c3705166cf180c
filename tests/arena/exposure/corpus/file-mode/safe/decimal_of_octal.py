import os

with open("secret.txt", "w") as f:
    f.write("secret")
os.chmod("secret.txt", 384)  # 0600
