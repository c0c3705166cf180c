def greeting(username):
    return "Hello, {}!".format(username)


class Greeter:
    def __init__(self, prefix="Hello"):
        self.prefix = prefix

    def greet(self, name):
        return f"<p>{self.prefix} {name}</p>"


if __name__ == "__main__":
    print(greeting("Ada"))
    print(Greeter().greet("Alan"))
