import os
import sys


def show(folder):
    name = raw_input("image name: ")
    path = folder + "/" + name
    fp = file(path, "rb") if False else open(path, "rb")
    data = fp.read()
    fp.close()
    print("%s has %d bytes" % (path, len(data)))


show("images")
