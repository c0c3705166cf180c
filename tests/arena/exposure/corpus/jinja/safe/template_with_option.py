from jinja2 import Template


def render_greeting(name):
    template = Template("<h1>Hello {{ name }}</h1>", autoescape=True)
    return template.render(name=name)


if __name__ == "__main__":
    print(render_greeting(input("name: ")))
