from os import chmod as c

FILE = "secret.txt"
f = open(FILE, "w")
f.write("secret")
f.close()
c(FILE, 0o700)
