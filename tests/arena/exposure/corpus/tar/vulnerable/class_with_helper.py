import tarfile as tf
import sys


class Unpacker:
    def __init__(self, archive):
        self.archive = archive

    def run(self, where):
        t = tf.TarFile.open(self.archive)
        try:
            self._all(t, where)
        finally:
            t.close()

    def _all(self, t, where):
        t.extractall(where)


if __name__ == "__main__":
    Unpacker(sys.argv[1]).run("/tmp/unpack")
