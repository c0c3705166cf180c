def after_login(target):
    return f"Location: {target}"
