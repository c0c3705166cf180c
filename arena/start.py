"""The entry point of the command `arena`: Ctrl-C is handled before the imports, which take a second."""

from arena.interrupt import handle_interrupts


def main() -> None:
    """Run the command `arena`."""
    handle_interrupts()
    from arena.cli.main import main as run_command

    run_command()
