import os

secret = "value"
# with open("secret.txt", "w") as f: f.write(secret)
print("secret:", secret, "for", os.getuid())
