import os
import stat

with open("secret.txt", "w") as out:
    os.fchmod(out.fileno(), stat.S_IRUSR | stat.S_IWUSR)
    out.write("secret")
