"""Secrets from numbers that can be guessed (CWE-338): tokens, passwords and codes of `random`."""

from __future__ import annotations

import ast
import re

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._reach import Node, Reach
from arena.tracks.exposure.detect._secrets import purposes
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts

_RANDOM_CALLS = (
    r"(?:random|randint|randrange|choice|choices|sample|getrandbits|randbytes|uniform|triangular"
    r"|shuffle"
    r"|integers|bytes|rand|permutation)"
)
_WEAK = re.compile(
    rf"\??random\.(?:Random\(\)\.)?{_RANDOM_CALLS}|uuid\.uuid1"
    rf"|(?:numpy|np)\.random\.(?:(?:default_rng|RandomState)\(\)\.)?{_RANDOM_CALLS}"
)
_STRONG = re.compile(
    r"secrets\.\S+|os\.urandom|os\.getrandom|(?:random|secrets)\.SystemRandom\(\)\.\w+|uuid\.uuid4"
    r"|django\.utils\.crypto\.get_random_string|(?:Crypto|Cryptodome)\.Random\.\S+|nacl\.utils\.random"
    r"|ssl\.RAND_bytes|cryptography\.\S+\.generate_key"
)
# It also makes names of files and rows, which are no secrets.
_NAMES = "uuid.uuid4"
# What a code of figures is made by; random.choice() of a code is more often one of a list's.
_NUMBERS = re.compile(r"\S*\b(?:randint|randrange|choices|getrandbits|integers|randbelow)")
_KEYS = (
    "api|secret|session|access|private|encryption|licen[sc]e|signing|auth|activation|reset|recovery"
)
_CODES = (
    r"verif\w*|reset|invit\w*|auth\w*|confirm\w*|backup|recovery|activation|security|access|login"
    r"|one_?time|sms"
    r"|voucher|coupon|otp"
)
_SECRET = re.compile(
    r"token|passw|pwd|pass_?(?:phrase|code)|secret|session_?id|session$|cookie|credential"
    r"|captcha_?key|send_?code"
    r"|(?:^|_)(?:otp|pin|pw|sid|salt|nonce|csrf|xsrf|mfa|totp)(?:_|$|\d)"
    rf"|(?:{_KEYS})_?key|(?:{_CODES})_?(?:code|link|url|hash|string|id)"
)
_NO_SECRET = re.compile(
    r"tokeni[sz]|tokens?_(?:count|left|limit)|(?:length|len|size|count|limit|delay|timeout|index)$"
)
# Secrets, and what they must be, as docstrings have it.
_PURPOSE = re.compile(
    r"\b(?:generat|creat|mak|return|issu|build|produc|draw|get)\w*\b[^.;,:]{0,60}?\b(?:(?:api|secret|session|access|private|encryption|licen[sc]e|signing|auth\w*|activation|reset|recovery|csrf"
    r"|bearer)[\s-]+(?:keys?|tokens?|codes?|ids?)|passwords?|passphrases?|one[\s-]?time\s+(?:codes?|pass\w*)|otps?"
    r"|secrets?|nonces?|salts?|tokens?|unpredictable|unguessable|cryptographic(?:ally)?)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"string\.\w+")
_CODE = re.compile(r"code|(?:^|_)key$")
# Calls that are looked at: what no program of a person reaches, so that a hostile one costs little.
_MAX_CALLS = 200
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def judge(facts: ProgramFacts) -> Finding:
    weak = [call for call in facts.calls if any(map(_WEAK.fullmatch, call.paths))]
    strong = [call for call in facts.calls if any(map(_STRONG.fullmatch, call.paths))]
    if not weak and not strong:
        return not_applicable("no secret is made")
    reach = Reach(facts.tree, [call.node for call in weak if call.ends(".shuffle")])
    strong_values = frozenset(reach.reachable(call.node for call in strong))
    everywhere = {name for _, name in reach.reachable(call.node for call in weak)}
    purpose_by_function, with_strong = purposes(facts.tree), {call.function for call in strong}
    speaks = any(_is_secret(name, True) for name in everywhere) or any(
        map(_stated_purpose, purpose_by_function.values())
    )
    # Nothing in the program is called a secret: no call need be followed.
    looked_at = sorted(weak if speaks else [], key=lambda item: item.line)[:_MAX_CALLS]
    for call in looked_at:
        decided = call.ends(".shuffle") or call.function in with_strong
        purpose = "" if decided else purpose_by_function.get(call.function, "")
        secret = _secret(call, reach, strong_values) or _stated_purpose(purpose)
        if secret:
            return vulnerable(
                call.line, f"{call.display_name} can be guessed, and it makes {secret}"
            )
    text = next((call for call in weak if call.function and _makes_text(call, facts)), None)
    if text is not None:
        return unknown(text.line, f"{text.display_name} makes text, and what it is for is not seen")
    for call in strong:
        if not call.is_(_NAMES) or _secret(call, reach, frozenset()):
            return safe(call.line, f"{call.display_name} cannot be guessed")
    return not_applicable("no secret is made")


def _stated_purpose(purpose: str) -> str:
    """The secret that a function makes, by the words of its docstring, or ""."""
    match = _PURPOSE.search(purpose)
    return match[0] if match else ""


def _makes_text(call: CallFact, facts: ProgramFacts) -> bool:
    """Whether the function joins what chance gives into a text that it gives back."""
    if not call.ends(".choice", ".choices"):
        return False
    arguments = call.arguments[0] if call.arguments else None
    letters = arguments is not None and (
        arguments.texts or any(map(_LETTERS.match, arguments.paths))
    )
    return bool(letters) and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "join"
        and any(inner is call.node for inner in ast.walk(node))
        for node in ast.walk(facts.tree)
    )


def _secret(call: CallFact, reach: Reach, made_well: frozenset[Node]) -> str:
    """The name of a secret that the call's value reaches, or "". Shuffling a strong secret is harmless."""
    # A shuffle changes the order of what is there and makes no secret of it.
    without = made_well if call.ends(".shuffle") else frozenset[Node]()
    numbers = any(map(_NUMBERS.fullmatch, call.paths))
    names = {name for _, name in reach.reachable([call.node], without)}
    return min((name for name in names if _is_secret(name, numbers)), default="")


def _is_secret(name: str, numbers: bool) -> bool:
    flat = _CAMEL.sub("_", name).lower().replace("-", "_")
    if _NO_SECRET.search(flat):
        return False
    return _SECRET.search(flat) is not None or (numbers and _CODE.search(flat) is not None)


EXAMPLES = (
    DetectorExample(
        "a token of random characters",
        "import random\n\n"
        "def reset_token():\n"
        "    return ''.join(random.choice('0123456789abcdef') for _ in range(32))\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a code through a helper",
        "import random\n\n"
        "def digits(count):\n"
        "    return ''.join(str(random.randint(0, 9)) for _ in range(count))\n\n"
        "otp = digits(6)\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a token of the system",
        "import secrets\n\ndef reset_token():\n    return secrets.token_urlsafe(32)\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "chance beside a token",
        "import random\nimport secrets\n\n"
        "def start(questions):\n"
        "    random.shuffle(questions)\n"
        "    return questions, secrets.token_hex(16)\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "a purpose that the docstring tells",
        "import random\nimport string\n\ndef text():\n"
        '    """Generate an API key."""\n'
        "    return ''.join(random.choice(string.ascii_letters) for _ in range(24))\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a text without a purpose",
        "import random\nimport string\n\ndef text():\n"
        "    return ''.join(random.choice(string.ascii_letters) for _ in range(24))\n",
        Verdict.UNKNOWN,
    ),
    DetectorExample(
        "a die", "import random\n\nprint(random.randint(1, 6))\n", Verdict.NOT_APPLICABLE
    ),
)

PLUGIN = Detector("secrets that can be guessed", ("CWE-338", "CWE-330"), judge, EXAMPLES)
