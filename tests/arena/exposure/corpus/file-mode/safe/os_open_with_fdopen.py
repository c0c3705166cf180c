import os

flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
with os.fdopen(os.open("secret.txt", flags, 0o600), "w") as out:
    out.write("secret")
