import os, stat

secret = "s"
f = file("secret.txt", "a")
f.write("%s\n" % secret)
f.close()
os.chmod("secret.txt", stat.S_IRUSR + stat.S_IWUSR + stat.S_IRGRP)
