import os
import binascii


class Sessions(object):
    def __init__(self):
        self.open = {}

    def start(self, user):
        session_id = binascii.hexlify(os.urandom(16)).decode()
        self.open[session_id] = user
        return session_id
