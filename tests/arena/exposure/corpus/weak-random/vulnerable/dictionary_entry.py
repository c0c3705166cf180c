import random
import datetime
import jwt


def issue(user, signing_key):
    claims = {
        "sub": user,
        "exp": datetime.datetime.utcnow() + datetime.timedelta(hours=1),
        "invite_code": random.randint(10**9, 10**10),
    }
    return jwt.encode(claims, signing_key, algorithm="HS256")
