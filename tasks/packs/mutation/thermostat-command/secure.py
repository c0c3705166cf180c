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
    if not isinstance(fields, dict) or fields.keys() != FIELDS:
        raise CommandError("the message has other fields")
    device, minutes = fields["device"], fields["minutes"]
    if not isinstance(device, str) or not DEVICE.fullmatch(device):
        raise CommandError("device: malformed")
    if type(minutes) is not int or not 1 <= minutes <= 720:
        raise CommandError("minutes: from 1 to 720")
    return Command(device, _mode(fields["mode"]), _celsius(fields["celsius"]), minutes)


def _mode(value: object) -> Mode:
    try:
        return Mode(value)
    except ValueError as error:
        raise CommandError("mode: heat, cool or off") from error


def _celsius(value: object) -> float:
    if type(value) not in (int, float) or not 5 <= value <= 30:
        raise CommandError("celsius: from 5 to 30")
    return float(value)
