from dataclasses import dataclass


@dataclass(frozen=True)
class Account:
    name: str
    password: str
    moderator: bool = False


ACCOUNTS = (
    Account("olga", "snowfall", True),
    Account("igor", "rainfall"),
)


def is_moderator(name: str, password: str) -> bool:
    return any(
        account.moderator and account.name == name and account.password == password
        for account in ACCOUNTS
    )
