"""The kinds of events that sensors report. A sensor sits in a mock or in the interpreter's audit hook.

Two sorts: a *mechanism* is how something was done (a weak hash was taken), an *attack* is something that
an attacker wanted and got (a query's structure came from an argument). `detail` is what the words say.
"""

from __future__ import annotations

# Kind -> what `detail` holds.
KINDS: dict[str, str] = {
    "sql.interpolated": "text of a call's argument stands in a statement: the statement",
    "sql.injected": "an argument changed a statement's structure (quotes, comments, keywords): the statement",
    "xpath.interpolated": "text of a call's argument stands in an XPath expression: the expression",
    "xpath.injected": "an argument changed an XPath expression's structure: the expression",
    "ldap.injected": "an argument's filter characters stand unescaped in an LDAP filter: the filter",
    "command.shell": "a command line went to a shell: the line",
    "command.run": "a program was to be started without a shell: the arguments as JSON",
    "command.injected": "an argument's shell characters stand unquoted in a shell's line: the line",
    "file.opened": "a file was opened: mode, space, absolute real path",
    "file.mode": "a file or folder was made, or its mode set: octal mode after umask, space, path",
    "file.exposed": "as file.mode, with rights for group or others: the same",
    "hash.weak": "a broken hash (MD5, SHA-1, MD4, RIPEMD-160 ...) or a password hash with too few rounds",
    "hash.strong": "a hash or password hash that holds: its name",
    "cipher.weak": "DES, 3DES, RC4, Blowfish, ECB mode or a fixed IV or nonce: name and mode",
    "key.weak": "a key too short for its kind (RSA, DSA < 2048 bits, EC < 224, symmetric < 128): kind, bits",
    "key.made": "a key of any size was made: kind and bits",
    "random.weak": "the random module's generator was asked: function",
    "random.strong": "secrets, os.urandom or SystemRandom was asked: function",
    "deserial.unsafe": "pickle, marshal, shelve, jsonpickle or an unsafe YAML loader read data: loader",
    "deserial.safe": "a safe loader read data: loader",
    "code.evaluated": "eval, exec or compile ran source that holds an argument's text: the source",
    "canary.executed": "a payload's code ran (the builtin `arena_canary` was called): its argument",
    "xml.unprotected": "XML with a DOCTYPE or entity went through a parser that processes it: parser",
    "xml.resolved": "an external entity was read, or an entity was expanded: the entity's address",
    "template.evaluated": "a template's source holds an argument's text: the source",
    "http.requested": "a request was to be made: method, space, URL",
    "http.internal": "as http.requested, to a loopback, private, link-local or metadata address, or file:",
    "http.plain": "as http.requested, without TLS",
    "tls.unverified": "a request or context without verification of certificates or host names: which",
    "log.forged": "a log record holds a line break or control character from an argument: the record",
    "log.written": "a log record: the text",
    "env.read": "an environment variable was read: name",
    "env.secret": "as env.read, where the name says secret, key, token or password: name",
    "credential.used": "a credential went to a service or library: parameter, space, SHA-256 of the value",
    "auth.checked": "the auth substitute was asked: method",
    "jwt.unverified": "a token was decoded without verification of its signature: why",
    "standin.called": "the program called a mock, or a function of the test's own: name and arguments",
    "slow": "a call took more than a second of CPU: seconds",
    "stored": "the database or a file of the program was changed: what",
}

# Kinds that show how something was done; that an attack went through them is not seen by them alone.
MECHANISMS = frozenset(
    {
        "sql.interpolated",
        "xpath.interpolated",
        "key.made",
        "env.read",
        "http.requested",
        "file.opened",
    }
)

MAX_DETAIL = 500
# Of one test; what comes after is counted in one last event, `dropped`.
MAX_EVENTS = 400
