import random


class Sessions:
    def __init__(self):
        self._open = {}

    def start(self, user):
        session_id = "%032x" % random.getrandbits(128)
        self._open[session_id] = user
        return session_id
