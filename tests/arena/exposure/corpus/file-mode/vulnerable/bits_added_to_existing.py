import os, stat
def store(secret):
    with open("secret.txt", "w") as f:
        f.write(secret)
    st = os.stat("secret.txt")
    os.chmod("secret.txt", st.st_mode | stat.S_IRUSR | stat.S_IWUSR)
