def line(name, count):
    return f"{name}: {count} < 10 and > 2"
