from Crypto.Cipher import ARC4 as rc4
import tornado.web


class NoteHandler(tornado.web.RequestHandler):
    def initialize(self, key):
        self.key = key

    def post(self):
        note = self.get_body_argument("note")
        sealed = rc4.new(self.key).encrypt(note.encode())
        self.application.notes.append(sealed)
        self.finish()
