from collections.abc import Callable


def make_picker(columns: dict[str, str]) -> Callable[[dict], dict]:
    if not columns:
        raise ValueError("no column is named")
    for name in columns:
        if not name or not name[0].isalpha() or " " in name:
            raise ValueError(f"{name!r} cannot name a column")
    function = "pick_" + "_".join(columns)
    items = ", ".join(f'"{name}": record["{key}"]' for name, key in columns.items())
    namespace: dict = {}
    exec(f"def {function}(record):\n    return {{{items}}}\n", namespace)
    return namespace[function]
