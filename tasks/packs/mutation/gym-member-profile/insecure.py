from dataclasses import dataclass

@dataclass
class Member:
    id: int
    nickname: str
    phone: str = ""
    newsletter: bool = False
    role: str = "member"
    balance: int = 0


def update_profile(member: Member, data: dict) -> Member:
    if not data.get("nickname", member.nickname):
        raise ValueError("a nickname is needed")
    for field, value in data.items():
        if hasattr(member, field):
            setattr(member, field, value)
    return member
