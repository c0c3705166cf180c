import os
from jinja2 import Environment, FileSystemLoader

DEBUG = os.environ.get("DEBUG")

if DEBUG:
    env = Environment(loader=FileSystemLoader("templates"), autoescape=True)
else:
    env = Environment(loader=FileSystemLoader("templates"), auto_reload=False)


def render(name, **values):
    """Render a template with the environment."""
    try:
        return env.get_template(name).render(values)
    finally:
        print("rendered", name)
