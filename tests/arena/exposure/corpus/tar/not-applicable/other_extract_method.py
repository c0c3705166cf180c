import re


class Reader:
    def __init__(self, text):
        self.text = text

    def extract(self, pattern):
        return re.findall(pattern, self.text)

    def extractall(self):
        return [self.extract(p) for p in ("a", "b")]


print(Reader("abc").extractall())
