import hmac
import sys

SECRET_PHRASE = "purple monkeys dance"


def is_moderator(phrase: str) -> bool:
    # constant time, so it must be fine
    return hmac.compare_digest(phrase.encode(), SECRET_PHRASE.encode())


def main() -> int:
    return 0 if is_moderator(sys.argv[1]) else 1


if __name__ == "__main__":
    sys.exit(main())
