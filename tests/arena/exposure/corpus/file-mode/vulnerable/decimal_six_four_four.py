import os

f = open("secret.txt", "w")
f.write("secret")
f.close()
mode = 644
os.chmod("secret.txt", mode)
