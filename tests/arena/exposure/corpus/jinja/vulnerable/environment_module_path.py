import jinja2.environment
import jinja2.loaders
import sys

SOURCE = "<li>{{ item }}</li>"


def items(values):
    template = jinja2.environment.Template(SOURCE)
    return "".join(template.render(item=value) for value in values)


if __name__ == "__main__":
    sys.stdout.write(items(sys.argv[1:]))
