"""Which rule of Bandit or CodeQL is about which weakness of ours, where its CWE number says too little.

A CWE holds several scenarios (CWE-20, 22, 79), and tools file a weakness under different numbers (Bandit has
yaml.load under CWE-20, hard-coded passwords under CWE-259). Ids are those of CodeQL's query help and of
Bandit's documentation.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.tracks.exposure.tools._tool import Rules, ToolWeakness

PACK = "codeql/python-queries"
# Our detector -> CodeQL's query id -> its file in PACK, below `Security`: what runs without a suite.
QUERIES: Mapping[str, Mapping[str, str]] = {
    "certificates": {"py/request-without-cert-validation": "CWE-295/RequestWithoutValidation.ql"},
    "code": {"py/code-injection": "CWE-094/CodeInjection.ql"},
    "command": {"py/command-line-injection": "CWE-078/CommandInjection.ql"},
    "credentials": {"py/hardcoded-credentials": "CWE-798/HardcodedCredentials.ql"},
    "crypto": {
        "py/weak-sensitive-data-hashing": "CWE-327/WeakSensitiveDataHashing.ql",
        "py/weak-cryptographic-algorithm": "CWE-327/BrokenCryptoAlgorithm.ql",
    },
    "file-mode": {"py/overly-permissive-file": "CWE-732/WeakFilePermissions.ql"},
    "html": {"py/reflective-xss": "CWE-079/ReflectedXss.ql"},
    "jinja": {"py/jinja2/autoescape-false": "CWE-079/Jinja2WithoutEscaping.ql"},
    "open-redirect": {"py/url-redirection": "CWE-601/UrlRedirect.ql"},
    "path": {"py/path-injection": "CWE-022/PathInjection.ql"},
    "sql": {"py/sql-injection": "CWE-089/SqlInjection.ql"},
    "ssrf": {"py/full-ssrf": "CWE-918/FullServerSideRequestForgery.ql"},
    "tar": {"py/tarslip": "CWE-022/TarSlip.ql"},
    "url-regex": {"py/incomplete-hostname-regexp": "CWE-020/IncompleteHostnameRegExp.ql"},
    "url-substring": {
        "py/incomplete-url-substring-sanitization": "CWE-020/IncompleteUrlSubstringSanitization.ql"
    },
    "xml": {"py/xxe": "CWE-611/Xxe.ql"},
    "yaml": {"py/unsafe-deserialization": "CWE-502/UnsafeDeserialization.ql"},
}

# Our detector -> rules that are about its weakness as well: Bandit's, and CodeQL's experimental ones.
FURTHER: Mapping[str, tuple[str, ...]] = {
    "code": ("B102", "B307"),
    "credentials": ("B105", "B106", "B107"),
    "jinja": ("B701",),
    "tar": ("B202", "py/unsafe-unpacking", "py/tarslip-extended", "py/zipslip"),
    "weak-random": ("B311", "py/insecure-randomness"),
    "xml": (
        *(f"B{number}" for number in range(313, 320)),
        *(f"B{number}" for number in (405, 406, 407, 408, 409, 411)),
    ),
    "yaml": ("B506",),
}

# Rules under the CWE of one of our detectors that are about something else.
ELSEWHERE = frozenset(
    {
        "B201",  # Flask's debug mode, under CWE-94
        "B310",  # urlopen of file://, under CWE-22
        "B502",  # TLS versions, under CWE-327
        "B503",
        "B504",
        "B507",  # keys of SSH hosts, under CWE-295
        "B612",  # logging.config.listen, under CWE-94
        "py/bad-tag-filter",  # these five under CWE-20
        "py/cookie-injection",
        "py/count-untrusted-data-external-api",
        "py/overly-large-range",
        "py/untrusted-data-to-external-api",
        "py/http-response-splitting",  # under CWE-79
        "py/insecure-default-protocol",  # TLS versions, under CWE-327
        "py/insecure-protocol",
        "py/paramiko-missing-host-key-validation",  # under CWE-295
    }
)

_RULES_OF_DETECTOR: Mapping[str, frozenset[str]] = {
    detector: frozenset((*QUERIES.get(detector, {}), *FURTHER.get(detector, ())))
    for detector in QUERIES.keys() | FURTHER.keys() | {"upload"}
}
_ALL = ELSEWHERE.union(*_RULES_OF_DETECTOR.values())


def about(rule: str, cwes: tuple[str, ...], weakness: ToolWeakness, added: Rules) -> bool:
    """Whether a rule's alert says that this weakness is there.

    By the rule where a table has it and the detector is the pack's, else by the CWE. added: the user's
    table; it adds CWEs to a rule, and a rule that it gives none is about nothing.
    """
    fact = added.get(rule)
    if fact is not None and (not fact or set(fact) & set(weakness.cwes)):
        return bool(fact)
    own_rules = _RULES_OF_DETECTOR.get(weakness.detector)
    if own_rules is not None and rule in _ALL:
        return rule in own_rules
    return bool(set(cwes) & set(weakness.cwes))


def can_look(rules: Rules | None, weakness: ToolWeakness, added: Rules) -> bool:
    """Whether a tool has a rule that is about the weakness; taken for granted where it names no rule."""
    return rules is None or any(about(rule, cwes, weakness, added) for rule, cwes in rules.items())


def queries_for(detectors: set[str]) -> list[str]:
    """CodeQL's standard queries for our detectors, as `codeql database analyze` takes them."""
    result = {file for detector in detectors for file in QUERIES.get(detector, {}).values()}
    return [f"{PACK}:Security/{file}" for file in sorted(result)]
