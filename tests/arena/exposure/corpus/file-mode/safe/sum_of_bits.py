import os, stat

f = open("secret.txt", "w")
f.write("s")
f.close()
os.chmod("secret.txt", stat.S_IRUSR + stat.S_IWUSR)
