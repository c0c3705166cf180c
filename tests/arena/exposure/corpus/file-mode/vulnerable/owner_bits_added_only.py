import os
import stat

path = "secret.txt"
with open(path, "w") as f:
    f.write("secret")
st = os.stat(path)
os.chmod(path, st.st_mode | stat.S_IRUSR | stat.S_IWUSR)
