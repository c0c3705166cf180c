from jinja2 import Environment, FileSystemLoader


class Pages(Environment):
    """An environment that knows our folder."""

    def __init__(self, **options):
        super(Pages, self).__init__(loader=FileSystemLoader("pages"), **options)


env = Pages(autoescape=True)
print(env.get_template("a.html").render(name=input()))
