"""What the prompt `full` says about the mocks: their state, and what it shows of a weakness.

The names of the observable state are those of SecMutBench (Section 3.4 and its replication package); what
the mocks hold besides is in `docs/mocks.md`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from arena.tracks.mutation.bindings import BUILT_IN, unbound
from arena.tracks.mutation.tasks.program import Program
from parsers.python_syntax import syntax_tree


@dataclass(frozen=True)
class Area:
    """An area of mocks.

    words: what a program imports, or names without binding it, where it touches them.
    state: (name, what it holds). hint: what to assert, and what that shows; programs of `cwes` get it where
    `advice` says that it is valid without the mocks too.
    """

    title: str
    cwes: tuple[str, ...]
    words: tuple[str, ...]
    state: tuple[tuple[str, str], ...]
    hint: str
    advice: bool = False


AREAS: dict[str, Area] = {
    "database": Area(
        "database `db`",
        ("CWE-89", "CWE-74", "CWE-915"),
        ("db", "database", "mock_db", "mysql"),
        (
            ("db.execute(query, params=None)", "runs a statement and returns the rows"),
            ("db.last_query", "the text of the last statement"),
            ("db.last_params", "its parameters; None when the statement had none"),
            ("db.query_count", "how many statements ran"),
            ("db.reset()", "forgets all of that; call it before each payload"),
        ),
        "After a call with a payload, `db.last_params` is not None and the payload does not stand in "
        "`db.last_query`: input travels beside the statement, not inside it.",
    ),
    "subprocess": Area(
        "`subprocess` (starts nothing)",
        ("CWE-78", "CWE-77"),
        ("subprocess", "os.system", "os.popen"),
        (
            ("subprocess.last_command", "what the last call was to start"),
            ("subprocess.last_shell", "True when it was to go through a shell"),
            ("subprocess.injection_detected", "True when shell characters reached a shell"),
            ("subprocess.set_result(stdout=, stderr=, returncode=)", "what the next call gives"),
            ("subprocess.reset()", "forgets all of that"),
        ),
        "With `; id` and the like in the input, either the call raises or `subprocess.last_shell` is False "
        "and the payload is one whole element of the arguments.",
    ),
    "filesystem": Area(
        "files: `fs`, and real files in the temporary folder",
        ("CWE-22", "CWE-36", "CWE-73", "CWE-434", "CWE-732"),
        (
            "fs",
            "filesystem",
            "open",
            "pathlib",
            "os.open",
            "os.mkdir",
            "os.makedirs",
            "os.chmod",
            "shutil",
        ),
        (
            ("fs.last_path", "the path that was last asked for"),
            ("fs.read_file(path), fs.file_exists(path)", "a folder in memory below fs.base_dir"),
            ("tmp_path", "pytest's own folder for a test; look at modes with os.stat"),
        ),
        "A path that leaves the base folder (`../`, absolute, symbolic link, NUL) must raise or be "
        "refused; a file or folder that is made must give no rights to group and others.",
    ),
    "crypto": Area(
        "`hashlib` and ciphers (the real ones, watched)",
        ("CWE-326", "CWE-327", "CWE-328"),
        ("hashlib", "hmac", "Crypto", "cryptography"),
        (
            ("hashlib.last_algorithm", "the algorithm last used"),
            ("hashlib.algorithms_used", "all of them"),
            ("hashlib.weak_algorithm_used", "True after MD5, SHA-1 and other broken ones"),
            ("hashlib.strong_algorithm_used", "True after one that holds"),
            ("mock_rsa.last_key_size", "bits of the RSA key last made"),
            ("hashlib.reset()", "forgets all of that"),
        ),
        "Assert on `hashlib.weak_algorithm_used`, on the cipher's mode or on the key's size. The length of a "
        "digest alone shows nothing: another strong algorithm has another length.",
    ),
    "bcrypt": Area(
        "`bcrypt`",
        ("CWE-328", "CWE-522"),
        ("bcrypt",),
        (("bcrypt.hash_called, bcrypt.check_called", "True after hashpw and checkpw"),),
        "A password that is stored went through `bcrypt.hashpw`; two hashes of one password differ.",
    ),
    "http": Area(
        "`requests` (opens no connection)",
        ("CWE-918", "CWE-295", "CWE-319"),
        ("requests", "urllib.request", "http.client", "http_client"),
        (
            (
                "requests.last_url, requests.last_method",
                "the last request; None when there was none",
            ),
            ("requests.last_kwargs", "its options, such as verify"),
            ("requests.ssrf_attempted", "True after a request to an internal address"),
            ("requests.set_response(url, text=, status=, headers=, json=)", "what a request gives"),
            ("requests.reset()", "forgets all of that"),
        ),
        "An internal address (loopback, 169.254.169.254, private, file:) is refused before any request: "
        "`requests.last_url` stays None. `requests.last_kwargs.get('verify', True)` is not False. What is "
        "secret goes to https only.",
    ),
    "xml": Area(
        "XML parsers (the real ones, watched)",
        ("CWE-611", "CWE-643", "CWE-776"),
        ("xml", "lxml", "defusedxml", "xml_parser"),
        (
            ("xml_parser.external_entities_resolved", "True when an entity was resolved"),
            ("mock_stdlib_xml.stdlib_xml_used", "True when an unprotected parser read the text"),
            ("mock_lxml_etree.unsafe_parser_used", "the same of lxml"),
            ("mock_lxml_etree.parameterized", "True when an XPath expression got its values apart"),
        ),
        "A document with a DOCTYPE and an entity that names a file is refused, or the file's content is not "
        "in the result; a quote in the input does not change which nodes an XPath expression finds.",
    ),
    "deserialisation": Area(
        "`pickle`, `yaml`, `marshal`",
        ("CWE-502", "CWE-94"),
        ("pickle", "yaml", "marshal", "jsonpickle", "shelve", "dill"),
        (
            ("pickle.unsafe_load_called, marshal.unsafe_load_called", "True after load or loads"),
            ("yaml.unsafe_load_called", "True after a load that can make any object"),
            ("yaml.safe_loader_used", "True after safe_load or SafeLoader"),
        ),
        "Bytes of a pickle, or YAML with `!!python/object/apply`, are refused, and no unsafe loader was "
        "called on them.",
    ),
    "eval": Area(
        "`eval` and `exec`, watched by `mock_eval`",
        ("CWE-94", "CWE-95", "CWE-1336"),
        ("eval", "exec", "compile", "ast.literal_eval", "mock_eval"),
        (
            ("mock_eval.unsafe_eval_called", "True when input was evaluated"),
            ("mock_eval.injection_detected", "True when it looked like an attack"),
            ("arena_canary('x')", "a harmless function; a payload that calls it tells that it ran"),
        ),
        "Input such as `__import__('os').getcwd()` raises ValueError or SyntaxError, or comes back as text, "
        "and nothing of it was evaluated.",
    ),
    "auth": Area(
        "users and rights: `auth`",
        ("CWE-287", "CWE-306", "CWE-862", "CWE-863", "CWE-639", "CWE-352"),
        ("auth", "authenticator"),
        (
            ("auth.login(user, password)", "an attempt to log in"),
            ("auth.auth_attempts, auth.failed_attempts", "how many attempts there were"),
            ("auth.last_username", "who tried last"),
        ),
        "Call it as nobody, as the wrong user, and without or with a wrong CSRF token: each is refused "
        "(PermissionError, 401, 403), and nothing was changed. The right user still succeeds.",
        advice=True,
    ),
    "jwt": Area(
        "`jwt` (PyJWT)",
        ("CWE-347",),
        ("jwt",),
        (
            ("jwt.encode, jwt.decode", "the real ones"),
            ("jwt.decode_called, jwt.last_algorithms", "the last decoding"),
            ("jwt.verify_signature", "False when it did not look at the signature"),
        ),
        "A token with `alg: none`, with another key or past its time is refused.",
    ),
    "flask": Area(
        "Flask: `request`, `session`, `redirect`, `jsonify`, and an app's `test_client()`",
        ("CWE-79", "CWE-601", "CWE-352", "CWE-209"),
        ("flask", "request", "session", "redirect", "jsonify", "render_template_string"),
        (
            ("response.status_code, response.headers, response.data", "what was answered"),
            ("response.headers['Location']", "where a redirection leads"),
        ),
        "Markup in the input comes back escaped; a redirection to another host is refused, also "
        "`//host`, `/\\host` and `https:host`; an error's answer tells no path, no query and no trace.",
    ),
    "environment": Area(
        "the environment: `env`, `os.environ`, `os.getenv`",
        ("CWE-798", "CWE-259", "CWE-321"),
        ("os.environ", "os.getenv", "env", "os_environ"),
        (
            ("env.set(name, value)", "gives a variable a value for this test"),
            ("env.access_log", "names of the variables that were read"),
            ("env.sensitive_accessed", "those of them that name a secret"),
            ("env.was_accessed(name), env.reset()", "asks about one; forgets all"),
        ),
        "Set the variable to a value of your own: the program must use that value, and refuse to work "
        "without one. A secret must not stand in the source.",
    ),
    "randomness": Area(
        "`random` and `secrets` (the real ones, watched)",
        ("CWE-338", "CWE-330"),
        ("random", "secrets", "uuid", "os.urandom"),
        (
            ("random.weak_prng_used", "True after a call of the random module"),
            ("secrets.call_log", "the calls of secrets"),
            ("random.reset(), secrets.reset()", "forget all of that"),
        ),
        "Tokens differ from call to call, also after `random.seed(0)`, and `random.weak_prng_used` stays "
        "False.",
    ),
    "logging": Area(
        "`logging`; records come in pytest's `caplog`",
        ("CWE-117", "CWE-209"),
        ("logging", "logger", "log"),
        (("caplog.records, caplog.text", "what was logged during the test"),),
        "A line break in the input does not start a new line in a record, and no secret is in a record.",
    ),
    "resources": Area(
        "time and size",
        ("CWE-400", "CWE-1333", "CWE-20"),
        (),
        (("time.perf_counter()", "a test has five seconds in all"),),
        "Too much, too long or too many is refused at once; an expression meets its worst input within "
        "a fraction of a second.",
        advice=True,
    ),
}

_BARE = """
    db database mock_db fs filesystem mock_fs env mock_env os_environ auth authenticator mock_auth xml_parser
    mock_xml mock_eval mock_crypto mock_rsa mock_stdlib_xml mock_lxml_etree http_client mock_http
    mock_response mock_subprocess mock_pickle mock_yaml mock_marshal mock_random mock_secrets arena_canary"""
# Names that a test sees without an import, and that no library has.
BARE = frozenset(_BARE.split())


def used_outer_names(program: Program) -> frozenset[str]:
    """What a program uses of the outer world: what it imports, and names that nothing in it binds, dotted."""
    tree = syntax_tree(program.secure)
    # "": the name stands for itself.
    bindings: dict[str, str] = dict.fromkeys(unbound(program.secure) | BUILT_IN, "")
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            # `import a.b` binds `a`.
            bindings |= {(a.asname or a.name.partition(".")[0]): a.name for a in node.names}
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            bindings |= {(a.asname or a.name): f"{node.module}.{a.name}" for a in node.names}
            names |= {f"{node.module}.{a.name}" for a in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            # The chain as it is written: its first name is what was imported.
            root, _, rest = ast.unparse(node).partition(".")
            if root in bindings and (dotted := bindings[root] or root):
                names.add(f"{dotted}.{rest}" if rest else dotted)
    return frozenset(names)


def areas_of(program: Program) -> list[tuple[Area, bool]]:
    """The areas that a program touches, and those whose advice fits its CWE, in the table's order.

    Each with whether it is touched.
    """
    names = used_outer_names(program)
    areas = []
    for area in AREAS.values():
        # With the dot, so that `randomness` is not taken for `random`.
        used = any(name == w or name.startswith(f"{w}.") for w in area.words for name in names)
        if used or (area.advice and program.cwe in area.cwes):
            areas.append((area, used))
    return areas


def render(area: Area, used: bool) -> str:
    """An area as the prompt describes it: the mocks' state only where the program uses them."""
    # The state of a mock that the program never calls stays as it was, and says nothing.
    state = [f"- `{name}`: {what}" for name, what in area.state] if used else []
    return "\n".join([f"### {area.title}", *state, f"- To assert: {area.hint}"])
