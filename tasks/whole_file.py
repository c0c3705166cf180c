"""Reading a user's file whole, or reporting in a line why that fails."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

MIB = 1 << 20
MAX_SHOWN = 120


def read_whole(
    path: Path, max_bytes: int, fault: type[Exception] = ValueError, before: str = ""
) -> bytes:
    """The content of a file of up to `max_bytes`; a pipe is read as well.

    Raises `fault`, with a line that names the file, behind `before`, where it cannot be read or is larger.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError as error:
        raise fault(f"{before}{path}: {error.strerror}") from error
    if len(data) > max_bytes:
        size = f"{max_bytes // MIB} MiB" if max_bytes % MIB == 0 else f"{max_bytes} bytes"
        raise fault(f"{before}{path}: larger than {size}")
    return data


def plain_message(error: Mapping[str, Any]) -> str:
    """The message of an error of pydantic's, without the words that it puts before those of a validator."""
    return str(error["msg"]).removeprefix("Value error, ")


def first_mistake(
    error: ValidationError, whole: str = "it", model: type[BaseModel] | None = None
) -> str:
    """The first field that is wrong, with what is; `whole` where it is none of the fields.

    model: of what was read; then an unknown field comes before others, with what is near or allowed.
    """
    errors = error.errors(include_url=False)
    unknown = [wrong for wrong in errors if wrong["type"] == "extra_forbidden"] if model else []
    first = (unknown or errors)[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    if model and unknown:
        names = sorted(_model_at(model, first["loc"][:-1]).model_fields)
        name = str(first["loc"][-1])[:MAX_SHOWN]
        near = difflib.get_close_matches(name, names, 1)
        inner = _field_with(name, _model_at(model, first["loc"][:-1]))
        hint = f"it belongs into {inner!r}; " if inner else ""
        hint = f"did you mean {near[0]!r}?; " if near else hint
        return f"{where[:MAX_SHOWN]}: no such field; {hint}known: {', '.join(names)}"
    return f"{where or whole}: {plain_message(first)}"


def _model_at(model: type[BaseModel], loc: Sequence[int | str]) -> type[BaseModel]:
    """The model at a place of a model."""
    for part in loc:
        field = model.model_fields.get(str(part))
        if field and (inner := _model_in(field.annotation)):
            model = inner
    return model


def _field_with(name: str, model: type[BaseModel]) -> str:
    """The field of a model whose model has a field of this name; empty if there is none."""
    inner = {field: _model_in(info.annotation) for field, info in model.model_fields.items()}
    return next((field for field, part in inner.items() if part and name in part.model_fields), "")


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation is, or holds in a list or a table."""
    if hasattr(annotation, "model_fields"):
        return cast("type[BaseModel]", annotation)
    parts = getattr(annotation, "__args__", ())
    return next((inner for part in parts if (inner := _model_in(part))), None)
