import os

# forgot the 0o
with open("secret.txt", "w") as f:
    f.write("s3cr3t")
os.chmod("secret.txt", 600)
