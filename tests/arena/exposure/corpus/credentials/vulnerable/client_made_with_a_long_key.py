from courses import Client


def made():
    key = "w8Zq3LtR0uYb5NcV7xKdE2sH"
    return Client("https://courses.example.org", key)
