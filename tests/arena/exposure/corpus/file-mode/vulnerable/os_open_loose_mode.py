import os

flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
with os.fdopen(os.open("secret.txt", flags, 0o666), "w") as out:
    out.write("secret")
