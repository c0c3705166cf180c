"""TLS connections whose peer is not checked (CWE-295), and SSH connections whose host key is not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

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
from arena.tracks.exposure.detect._followed import first_of, unfollowed_part
from arena.tracks.exposure.flow.facts import Assignment, CallFact, Constant, ProgramFacts, Value

_METHODS = (
    r"(?:get|post|put|delete|patch|head|options|request|stream|send|fetch|\w*open|\w*connect)"
)
# Calls that begin a checked connection, or would.
_CLIENT = re.compile(
    rf"(?:requests|httpx|urllib3|aiohttp|ssl|http\.client|httplib|urllib2?|websockets?|pycurl"
    rf"|treq)\.\S*\b{_METHODS}"
    r"|requests\.(?:Session|session)|httpx\.(?:Async)?Client|urllib3\.\S*(?:PoolManager|Pool"
    r"|ProxyManager|proxy_from_url)"
    r"|urllib\.request\.(?:urlopen|urlretrieve|build_opener)|urllib2?\.(?:urlopen|urlretrieve"
    r"|URLopener)"
    r"|http\.client\.HTTPSConnection|httplib\.HTTPSConnection|httplib2\.Http"
    r"|aiohttp\.(?:ClientSession|TCPConnector)"
    r"|ssl\.(?:wrap_socket|create_default_context|SSLContext|_create_\w+)|\S+\.(?:wrap_socket"
    r"|starttls|wrap_bio)"
    r"|(?:smtplib\.SMTP_SSL|imaplib\.IMAP4_SSL|poplib\.POP3_SSL|ftplib\.FTP_TLS)"
    r"|paramiko\.\S*\bconnect|\S+\.set_missing_host_key_policy|OpenSSL\.SSL\.Context\(\)\.set_verify"
    r"|pycurl\.Curl"
    r"|tornado\.httpclient\.\S+\.fetch|websockets?\.(?:connect|create_connection|WebSocketApp)"
)  # fmt: skip
# Keywords that turn the check off, and by which values.
_SWITCHES: Mapping[str, tuple[Constant, ...]] = {
    "verify": (False, 0),
    "verify_ssl": (False, 0),
    "ssl_verify": (False, 0),
    "verify_certs": (False, 0),
    "validate_cert": (False, 0),
    "validate_certs": (False, 0),
    "ssl_verify_cert": (False, 0),
    "check_hostname": (False, 0),
    "assert_hostname": (False,),
    "ssl": (False,),
    "cert_reqs": ("CERT_NONE", "NONE", "none", 0),
    "ssl_cert_reqs": ("CERT_NONE", "none", None, 0),
    "tlsAllowInvalidCertificates": (True,),
    "tlsAllowInvalidHostnames": (True,),
    "tlsInsecure": (True,),
    "disable_ssl_certificate_validation": (True,),
}
_NO_TLS = re.compile(
    r"<.*|(?:jwt|jose|itsdangerous|base64|binascii|argparse|click)\..*|\S*\.(?:add_argument|option)"
    r"|dict"
)
# Libraries whose sessions have an attribute `verify`.
_IMPORTS = re.compile(r"(?:requests|httpx)\b")
# `ssl=False` of a database's client is plain text, which is another weakness.
_DATABASE = re.compile(r"(?:pymysql|MySQLdb|psycopg2?|asyncpg|aiomysql|redis|mysql)\b.*")
_NO_CHECK = ("ssl.CERT_NONE", "OpenSSL.SSL.VERIFY_NONE")
_UNVERIFIED = ("ssl._create_unverified_context", "ssl._create_stdlib_context")
_POLICIES = tuple(
    f"paramiko.{module}{name}{result}"
    for module in ("", "client.")
    for name in ("AutoAddPolicy", "WarningPolicy")
    for result in ("", "()")
)
_CONTEXT = "OpenSSL.SSL.Context"
_SET_VERIFY = ("OpenSSL.SSL.Context().set_verify",)
_SERVING = (
    ".use_certificate", ".use_certificate_file", ".use_certificate_chain_file", ".use_privatekey",
    ".use_privatekey_file", ".set_accept_state", ".accept", ".listen",
)  # fmt: skip
# They make a context by `ssl._create_stdlib_context`, which checks nothing (the modules' sources).
_UNCHECKED_CLIENT = re.compile(
    r"smtplib\.(?:SMTP_SSL|SMTP\(\)\.starttls)|imaplib\.(?:IMAP4_SSL|IMAP4\(\)\.starttls)"
    r"|poplib\.(?:POP3_SSL|POP3\(\)\.stls)|ftplib\.FTP_TLS"
)
_ATTRIBUTES = (
    "verify",
    "check_hostname",
    "verify_mode",
    "_create_default_https_context",
    "cert_reqs",
)
_CLIENT_PROTOCOLS = ("ssl.PROTOCOL_TLS_CLIENT", "ssl.PROTOCOL_TLS_SERVER")
_CURL = ("pycurl.SSL_VERIFYPEER", "pycurl.SSL_VERIFYHOST")
_CURL_NAMES = ("SSL_VERIFYPEER", "SSL_VERIFYHOST")


def judge(facts: ProgramFacts) -> Finding:
    results = [
        *_judge_calls(facts),
        *_judge_assignments(facts),
        *_bare_contexts(facts),
        *_unset_contexts(facts),
    ]
    if results:
        # The first in the program, whichever of the readings has found it.
        return min(results, key=lambda item: item.line)
    remaining = (
        _judge_verified(call) for call in facts.calls if any(map(_CLIENT.fullmatch, call.paths))
    )
    return first_of(remaining) or not_applicable("no connection with a certificate or a host key")


def _judge_verified(call: CallFact) -> Finding:
    """The finding for a connection whose check nothing turns off."""
    name = _call_name(call)
    for keyword, value in call.keywords.items():
        if keyword in _SWITCHES and not value.constants:
            part = unfollowed_part(value, settings=True)
            chosen = [flow.source.name for flow in value.untrusted_flows]
            if part or chosen:
                why = (
                    f"{part or chosen[0]} says whether {name} checks the other end, and is not seen"
                )
                return unknown(call.line, why)
    if any(keyword in _SWITCHES for keyword in call.keywords):
        return safe(call.line, f"{name} is told to check the other end")
    if call.ends("set_missing_host_key_policy"):
        return safe(call.line, f"{name} is not told to accept keys that are not known")
    if call.is_(*_SET_VERIFY):
        return safe(call.line, f"{name} demands a certificate")
    if call.is_("ssl.SSLContext"):
        return safe(call.line, f"{name} is a server's, of a kind that checks, or told to check")
    return safe(call.line, f"{name} checks the other end by default, and nothing turns that off")


def _judge_calls(facts: ProgramFacts) -> Iterator[Finding]:
    for call in facts.calls:
        # `verify=False` of a JWT or an option of a command line is no TLS.
        if any(map(_NO_TLS.fullmatch, call.paths)):
            continue
        if call.is_(*_UNVERIFIED):
            yield vulnerable(call.line, f"{_call_name(call)} makes a context that checks nothing")
        for keyword, value in call.keywords.items():
            if _is_off(keyword, value, call):
                yield vulnerable(
                    call.line, f"{_call_name(call)} is given {keyword} that turns the check off"
                )
        if call.ends("set_missing_host_key_policy") and any(
            item.is_(*_POLICIES) for item in call.values
        ):
            yield vulnerable(call.line, "a host key that is not known is accepted")
        if call.ends(".setopt", ".set_verify") and _sets_off(call):
            yield vulnerable(call.line, f"{_call_name(call)} turns the check off")
        if (
            call.is_("ssl.wrap_socket")
            and not _requires(call.keywords.get("cert_reqs"))
            and not _serves(call)
        ):
            yield vulnerable(
                call.line, "ssl.wrap_socket() checks no certificate unless it is told to"
            )


def _is_off(keyword: str, value: Value, call: CallFact) -> bool:
    # Clients of websockets and databases take the settings in a dict.
    if keyword in ("sslopt", "options", "connect_args", "ssl_options") and value.pairs is not None:
        return any(
            isinstance(key, str) and _is_off(key, pair, call) for key, pair in value.pairs.items()
        )
    if keyword == "ssl" and any(map(_DATABASE.fullmatch, call.paths)):
        return False
    off = _SWITCHES.get(keyword)
    return off is not None and (_is_one_of(value, off) or value.is_(*_NO_CHECK))


def _is_one_of(value: Value, chosen: tuple[Constant, ...]) -> bool:
    """Whether the value can be any of these constants; 0 is not False here."""
    # By type too: to Python, 0 == False.
    kinds = {(type(constant), constant) for constant in chosen}
    return any((type(constant), constant) in kinds for constant in value.constants)


def _sets_off(call: CallFact) -> bool:
    option, value = call.argument(0), call.argument(1)
    if option is None:
        return False
    if option.is_(*_NO_CHECK):
        return True
    # The options are also reached through an instance: `c.SSL_VERIFYPEER`.
    curl = option.is_(*_CURL) or option.ends(*_CURL_NAMES)
    return curl and value is not None and _is_one_of(value, (0, False))


def _requires(value: Value | None) -> bool:
    return value is not None and not value.is_(*_NO_CHECK) and not _is_one_of(value, (0, None))


def _serves(call: CallFact) -> bool:
    value = call.keywords.get("server_side")
    return value is not None and True in value.constants


def _judge_assignments(facts: ProgramFacts) -> Iterator[Finding]:
    for assignment in facts.assignments:
        holder, _, name = assignment.target.rpartition(".")
        # `verify` is an attribute of many classes; of a session it is only with these libraries.
        is_setting = name != "verify" or any(map(_IMPORTS.match, facts.imports))
        if holder and is_setting and name in _ATTRIBUTES and _turns_off(assignment, name):
            yield vulnerable(assignment.line, f"{assignment.target} turns the check off")


def _turns_off(assignment: Assignment, name: str) -> bool:
    if name == "_create_default_https_context":
        return assignment.value.is_(*_UNVERIFIED)
    if name in ("verify_mode", "cert_reqs"):
        return assignment.value.is_(*_NO_CHECK) or _is_one_of(assignment.value, (0, "CERT_NONE"))
    return False in assignment.value.constants


def _bare_contexts(facts: ProgramFacts) -> Iterator[Finding]:
    """Contexts constructed by hand, which check nothing until they are configured to."""
    is_reported = any(
        assignment.target.endswith(".verify_mode")
        and assignment.value.is_("ssl.CERT_REQUIRED", "ssl.VerifyMode.CERT_REQUIRED")
        for assignment in facts.assignments
    )
    serving = any(_serves(call) or call.ends(".load_cert_chain") for call in facts.calls)
    # A server need not ask its clients for certificates.
    if is_reported or serving:
        return
    values = (item for call in facts.calls for item in (call.receiver, *call.values))
    used = any("ssl.SSLContext()" in path for value in values for path in value.paths)
    for call in facts.calls_of("ssl.SSLContext"):
        protocol = call.argument(0, "protocol")
        if used and (protocol is None or not protocol.is_(*_CLIENT_PROTOCOLS)):
            yield vulnerable(
                call.line, "ssl.SSLContext() checks no certificate unless it is told to"
            )


def _unset_contexts(facts: ProgramFacts) -> Iterator[Finding]:
    """Contexts of pyOpenSSL and clients of mail and files, which check nothing unless configured to."""
    sets = any(True for _ in facts.calls_ending_with(".set_verify"))
    serving = any(call.ends(*_SERVING) for call in facts.calls)
    for call in facts.calls_of(_CONTEXT):
        if not sets and not serving:
            yield vulnerable(
                call.line,
                f"{_call_name(call)} checks no certificate unless set_verify() tells it to",
            )
    for call in facts.calls:
        bare = not any(key in call.keywords for key in ("context", "ssl_context", ""))
        # A third argument by position may be the context.
        if bare and any(map(_UNCHECKED_CLIENT.fullmatch, call.paths)) and len(call.arguments) < 3:
            yield vulnerable(
                call.line, f"{_call_name(call)} checks no certificate unless it is given a context"
            )


def _call_name(call: CallFact) -> str:
    node = call.node.func
    written = ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else "a call"
    return f"{' '.join(written.split())[:80]}()"


EXAMPLES = (
    DetectorExample(
        "the check turned off",
        "import requests\n\nanswer = requests.get('https://example.com', verify=False)\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a context without a check",
        "import ssl\nimport urllib.request as web\n\n"
        "def read(url):\n"
        "    context = ssl.create_default_context()\n"
        "    context.check_hostname = False\n"
        "    context.verify_mode = ssl.CERT_NONE\n"
        "    return web.urlopen(url, context=context).read()\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "the default",
        "import requests\n\nanswer = requests.get('https://example.com')\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "an authority of one's own",
        "import requests\n\nanswer = requests.get('https://intranet', verify='/etc/ca.pem')\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "a context of pyOpenSSL that nobody told",
        "from OpenSSL import SSL\n\ncontext = SSL.Context(SSL.TLSv1_2_METHOD)\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a context of pyOpenSSL that demands a certificate",
        "from OpenSSL import SSL\n\ncontext = SSL.Context(SSL.TLSv1_2_METHOD)\n"
        "context.set_verify(SSL.VERIFY_PEER)\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "the caller says",
        "import requests\n\ndef read(url, checks):\n    return requests.get(url, verify=checks)\n",
        Verdict.UNKNOWN,
    ),
    DetectorExample("no connection", "print('verify=False')\n", Verdict.NOT_APPLICABLE),
)

PLUGIN = Detector("unchecked certificates", ("CWE-295",), judge, EXAMPLES)
