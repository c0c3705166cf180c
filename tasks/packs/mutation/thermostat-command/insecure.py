from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum

MAX_BYTES = 512
FIELDS = {"device", "mode", "celsius", "minutes"}
DEVICE = re.compile(r"th-[0-9a-f]{6}")


class CommandError(ValueError):
    """A message that is no command."""


class Mode(Enum):
    HEAT = "heat"
    COOL = "cool"
    OFF = "off"


@dataclass(frozen=True)
class Command:
    device: str
    mode: Mode
    celsius: float
    minutes: int


def parse_command(message: bytes) -> Command:
    if len(message) > MAX_BYTES:
        raise CommandError("the message is too long")
    try:
        fields = json.loads(message)
    except ValueError as error:
        raise CommandError("the message is no JSON") from error
    if not isinstance(fields, dict) or not FIELDS <= fields.keys():
        raise CommandError("fields are missing")
    device, minutes = fields["device"], fields["minutes"]
    if not isinstance(device, str) or not DEVICE.match(device):
        raise CommandError("device: malformed")
    if not isinstance(minutes, int) or minutes < 1:
        raise CommandError("minutes: at least 1")
    return Command(device, _mode(fields["mode"]), _celsius(fields["celsius"]), minutes)


def _mode(value: object) -> Mode:
    try:
        return Mode(value)
    except ValueError as error:
        raise CommandError("mode: heat, cool or off") from error


def _celsius(value: object) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise CommandError("celsius: not a number") from error
