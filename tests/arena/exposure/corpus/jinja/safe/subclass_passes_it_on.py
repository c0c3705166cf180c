import jinja2


class ReportEnvironment(jinja2.Environment):
    """An environment with our own filters."""

    def __init__(self, folder, **options):
        options.setdefault("trim_blocks", True)
        super().__init__(loader=jinja2.FileSystemLoader(folder), autoescape=True, **options)


def report(customer, cents):
    env = ReportEnvironment("reports")
    return env.get_template("report.html").render(customer=customer, cents=cents)


if __name__ == "__main__":
    print(report("Ada", 1250))
