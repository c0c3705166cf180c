import base64


def encode_note(note):
    return base64.b64encode(note.encode()).decode()


def decode_note(text):
    return base64.b64decode(text).decode()
