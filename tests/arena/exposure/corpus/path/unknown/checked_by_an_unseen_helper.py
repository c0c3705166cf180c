from keeper import is_inside


def read(self, name):
    if not self.is_allowed(name):
        raise PermissionError(name)
    with open("/srv/" + name) as file:
        return file.read()
