import os
import tarfile


class Archive(object):
    def __init__(self, path, root):
        self.tar = tarfile.open(path)
        self.root = os.path.abspath(root)

    def _inside(self, name):
        full = os.path.abspath(os.path.join(self.root, name))
        return full == self.root or full.startswith(self.root + "/")

    def unpack(self):
        for member in self.tar.getmembers():
            if self._inside(member.name):
                self.tar.extract(member, self.root)


Archive("archive.tar", "/tmp/unpack").unpack()
