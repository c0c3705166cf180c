import keyword
from collections.abc import Callable


def make_picker(columns: dict[str, str]) -> Callable[[dict], dict]:
    if not columns:
        raise ValueError("no column is named")
    for name, key in columns.items():
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"{name!r} cannot name a column")
        if type(key) is not str:
            raise ValueError(f"{name}: the key is no text")
    function = "pick_" + "_".join(columns)
    items = ", ".join(f"{name!r}: record[{key!r}]" for name, key in columns.items())
    namespace: dict = {"__builtins__": {}}
    exec(f"def {function}(record):\n    return {{{items}}}\n", namespace)
    return namespace[function]
