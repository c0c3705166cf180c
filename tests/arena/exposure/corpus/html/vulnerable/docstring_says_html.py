def welcome(name):
    """The line is shown in an HTML page."""
    return f"Welcome, {name}!"
