import os

name = "secret.txt"
out = open(name, "w")
print("secret", file=out)
out.close()
os.system("chmod 0600 %s" % name)
