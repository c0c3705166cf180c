import random
import secrets


def start_quiz(questions, answers):
    """Shuffling is for fun, the token is for safety."""
    order = list(questions)
    random.shuffle(order)
    first = random.choice(answers)
    return {"token": secrets.token_hex(16), "order": order, "hint": first}
