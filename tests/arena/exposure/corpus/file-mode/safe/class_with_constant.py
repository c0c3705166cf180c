import os


class SecretFile(object):
    MODE = 0o600

    def __init__(self, name):
        self.name = name

    def write(self, text):
        with open(self.name, "w") as stream:
            stream.write(text)
        try:
            os.chmod(self.name, self.MODE)
        except OSError as problem:
            print("could not protect: %s" % problem)


SecretFile("secret.txt").write("secret")
