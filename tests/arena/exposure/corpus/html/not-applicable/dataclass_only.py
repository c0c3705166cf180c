from dataclasses import dataclass


@dataclass
class User:
    username: str
    email: str = ""

    def greeting_key(self) -> str:
        return "greet:" + self.username


def store(users: dict, user: User) -> None:
    users[user.greeting_key()] = user
