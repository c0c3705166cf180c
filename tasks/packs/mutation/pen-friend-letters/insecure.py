from dataclasses import dataclass


@dataclass
class Letter:
    sender: str
    recipient: str
    text: str
    read: bool = False


def read_letter(letters: dict[int, Letter], number: int, user: str) -> str:
    """Return the text of a letter that `user` has sent or got."""
    letter = letters.get(number)
    if letter is None or not user:
        raise LookupError(f"no letter {number}")
    if user == letter.recipient:
        letter.read = True
    return letter.text
