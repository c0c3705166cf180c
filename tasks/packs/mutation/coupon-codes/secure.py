import secrets
import string

ALPHABET = "".join(c for c in string.ascii_uppercase + string.digits if c not in "0O1I")
GROUP_LENGTH = 4


def make_coupon(campaign: str, groups: int = 3) -> str:
    if not campaign.isalnum():
        raise ValueError("a campaign's name has letters and digits only")
    if groups < 3:
        raise ValueError("a code has at least three groups")
    parts = [campaign.upper()]
    for _ in range(groups):
        parts.append("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)))
    return "-".join(parts)


def make_batch(campaign: str, size: int) -> list[str]:
    codes: set[str] = set()
    while len(codes) < size:
        codes.add(make_coupon(campaign))
    return sorted(codes)
