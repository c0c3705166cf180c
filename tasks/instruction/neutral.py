"""Wording that an instruction must not have, as a table: each rule with examples that it finds and passes.

Patterns see the text with white space folded to single spaces and emphasis removed, and ignore case unless
they say `(?-i:...)`. They bound every repetition, so that the time stays linear in the text.
A new rule is a new row; its examples are its test.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Examples = tuple[str, ...]


@dataclass(frozen=True)
class WordRule:
    """A rule against a kind of wording. `finds` and `passes` are examples that a test runs."""

    name: str
    pattern: str
    why: str
    finds: Examples
    passes: Examples
    regex: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "regex", re.compile(self.pattern, re.IGNORECASE))


RULES = (
    WordRule(
        "vulnerability",
        r"\bvulnerab\w*|\bweakness(?:es)?\b|\bexploit\w*|\bzero[- ]day\b|\bbug bount\w+",
        "speaks of a vulnerability",
        ("Fix the vulnerability.", "This is exploitable.", "a known weakness of the reader"),
        ("The explicit form wins.", "Weak symbols are kept."),
    ),
    WordRule(
        "identifier",
        r"\b(?:CVE|CWE|CVSS|GHSA|OSV)(?![a-z])(?:[-: ]?\d[\w-]*)?|\bcrbug\b|\bMITRE\b",
        "gives an id of a vulnerability list",
        ("See CVE-2021-12345.", "CWE 122", "ghsa-abcd-1234", "the CVE"),
        ("Receive the frame.", "Recvfrom() is used."),
    ),
    WordRule(
        "fuzzing",
        r"fuzz(?!y|ily|iness)\w{0,40}|\b(?-i:AFL)(?:\+\+|\b)|\bsyz(?:bot|kaller)\b|\breproducers?\b",
        "speaks of fuzzing",
        (
            "Found by OSS-Fuzz.",
            "the fuzzer's corpus",
            "libFuzzer",
            "ClusterFuzz",
            "AFL++",
            "a reproducer",
        ),
        ("Add fuzzy matching of names.", "The waffle aflame.", "fuzziness is a number"),
    ),
    WordRule(
        "sanitizer",
        r"\b(?:K|HW)?(?:A|M|T|L|UB)San\b|saniti[sz]ers?\b|-fsanitize\b|\bvalgrind\b|\bmemcheck\b",
        "names a sanitizer",
        (
            "ASan reports it.",
            "UBSAN",
            "AddressSanitizer",
            "under the sanitizer",
            "Run it in valgrind.",
        ),
        ("Sanitize names: slashes become dashes.", "Pisan is a place.", "the thousands separator"),
    ),
    WordRule(
        "overflow",
        r"\b(?:buffer|heap|stack|global|bss)[- _](?:buffer[- _])?(?:over|under)(?:flow|read|write)\w*"
        r"|\bbuffer[- ]?overruns?\b|\bover-?reads?\b|\b(?:buffer|stack) smash\w*"
        r"|\b(?:integer|signed|unsigned|size|length|multiplication) (?:over|under)flows?\b"
        r"(?! (?:\w+ ){0,3}(?:saturat|wrap|clamp))"
        r"|\b(?:prevent|avoid|against|guard|trigger|caus|detect|possible|potential|without)\w* "
        r"(?:\w+ ){0,4}overflow\w*|\b(?:must|should|can|does|do|will|may)(?:not|n't| not) overflow",
        "speaks of an overflow as a defect",
        (
            "a heap buffer overflow",
            "stack-buffer-overflow",
            "Guard against overflow.",
            "an integer overflow in the size",
            "a buffer overrun",
            "The sum must not overflow.",
        ),
        (
            "`overflow: hidden` clips the box.",
            "Keep the rest in the overflow area.",
            "An arithmetic overflow saturates.",
            "An integer overflow wraps around.",
            "The counter overflows to zero.",
            "Audio underruns repeat the last frame.",
        ),
    ),
    WordRule(
        "memory",
        r"\buse[- ]after[- ](?:free|scope|return|delete)\b|\b(?-i:UAF)\b|\bdouble[- ](?:free|delete)s?\b"
        r"|\bdangling\b|\bmemory[- ](?:saf|corrupt|unsafe|leak|error|disclos)\w*|\bleak\w* (?:\w+ )?memory\b"
        r"|\b(?:null|nullptr|wild|invalid)[- ](?:pointer[- ])?dereferenc\w*|\bdereferenc\w* (?:a )?null\b"
        r"|\buninitiali[sz]ed[- ](?:memory|bytes?|data|reads?|values?|buffers?|heap|stack)\b"
        r"|\buse of uninitiali[sz]ed\b|\btype confusion\b|\bundefined behaviou?r\b|\bdata races?\b",
        "speaks of a memory error",
        (
            "a use-after-free",
            "use after free",
            "It is a double free.",
            "no dangling pointers",
            "for memory safety",
            "a NULL pointer dereference",
            "reads uninitialised memory",
            "leaks the memory",
            "undefined behavior",
        ),
        (
            "Free the list after use.",
            "Doubles are freely mixed with integers.",
            "Uninitialised variables evaluate to null.",
            "Follow the pointer; dereference links.",
            "Memory use grows with depth.",
        ),
    ),
    WordRule(
        "bounds",
        r"\bout[- ]of[- ]bounds?\b|\b(?-i:OOB)\b|\b(?:bounds?|boundary)[-_ ]?(?:check|valid)\w*"
        r"|\bcheck\w*[ _](?:\w+ ){0,3}bounds\b|\b(?:array|buffer) bounds\b"
        r"|\b(?:read|writ|access|index)\w* (?:\w+ )?(?:past|beyond|outside|over)(?: of)? (?:the |its )?"
        r"(?:end of |bounds of )?(?:the |an? |its )?(?:\w+ )?(?:buffer|array|allocation|heap|stack)\b",
        "reminds of bounds",
        (
            "an out-of-bounds read",
            "Add bounds checks.",
            "Check the bounds.",
            "check all array bounds",
            "OOB access",
            "reads past the end of the buffer",
            "writing beyond the buffer",
        ),
        (
            "An index out of range is an error.",
            "Send out-of-band data.",
            "A packet that would run past the end of its tile is refused.",
            "The bounding box of the glyph.",
            "Boundaries of words are kept.",
        ),
    ),
    WordRule(
        "crash",
        r"\bcrash(?![- ](?:recovery|consisten\w+|only)\b)\w*|\bseg(?:mentation)?[- ]?faults?\b|\bsegv\b"
        r"|\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b|\bcore dumps?\b|\bdenial[- ]of[- ]service\b|\b(?-i:DoS)\b",
        "speaks of a crash",
        ("It crashes on some files.", "a segfault", "SIGSEGV", "denial of service", "a DoS"),
        ("Crash recovery replays the journal.", "DOS line ends are kept.", "a faulty segment"),
    ),
    WordRule(
        "attack",
        r"\battack(?!,? (?:and )?(?:time|decay|rate|envelope|sustain|phase))\w*|\badversar\w+|\bmalicious\w*"
        r"|\bhostile\b|\bun-?trusted\b|\b(?:specially|carefully|maliciously)[- ]crafted\b|\bhackers?\b"
        r"|\bcrafted (?:\w+ )?(?:input|file|data|packet|message|image|string|archive|stream)s?\b"
        r"|\bthreats?\b|\b(?:zip|decompression) bombs?\b|\btrust boundar\w+",
        "speaks of an attack",
        (
            "An attacker may",
            "malicious input",
            "untrusted data",
            "a specially crafted file",
            "crafted input",
        ),
        (
            "The attack time of the envelope.",
            "A thread for each file.",
            "Crafts a header.",
            "a trusted store",
        ),
    ),
    WordRule(
        "security",
        r"\b(?:in)?secur(?:e|ed|es|ely|ing|ity)\b|(?<!thread-)(?<!signal-)(?<!type-)\bunsafe(?:ly)?\b|\bharden\w*"
        r"|\bsafe(?:ly)? (?:handl|process|pars|read|decod|cop|reject|deal)\w*"
        r"|\b(?:handl|process|pars|read|decod|cop(?:y|ie)|reject|deal)\w* (?:[\w-]+ ){0,6}safely\b"
        r"|\b(?:arbitrary|remote) code\b|\b(?-i:RCE|XSS|CSRF|SSRF)\b|\bpath traversal\b|\bzip slip\b"
        r"|\b(?:sql|command|shell|code|format string) injection\b|\bprivilege escalation\b",
        "speaks of security",
        (
            "Make it secure.",
            "a security fix",
            "insecure code",
            "Handle malformed input safely.",
            "an unsafe cast",
            "arbitrary code execution",
            "Harden the parser.",
        ),
        (
            "The queue is thread-safe; the map is thread-unsafe.",
            "URL-safe base64",
            "It is safe to call it twice.",
            "`SECURITY_LEVEL` stays a macro.",
            "Dependency injection of the reader.",
            "A securitas file.",
        ),
    ),
    WordRule(
        "proof",
        r"\b(?-i:PoCs?|POCs?)\b|\bproofs?[- ]of[- ]concept\b",
        "speaks of a PoC",
        ("The PoC shows it.", "a proof of concept"),
        ("epoch and pocket are words", "a proof by cases"),
    ),
    WordRule(
        "source",
        r"\bhttps?://\S{1,200}/(?:issues?|pull|merge_requests|commits?|bugs?|detail|show_bug)\b\S{0,200}"
        r"|\b[0-9a-f]{40}\b|\bcommit [0-9a-f]{7,40}\b|\bgold(?:en)? patch\b"
        r"|\b(?:this|the (?:reference|original|given)) (?:commit|patch|diff|pull request)\b",
        "points at where the change comes from",
        (
            "See https://example.org/a/b/issues/12.",
            "Reverts ca04e025e5074b07a9c4f495cc79cff675a9365c.",
            "as in the gold patch",
            "this commit adds",
        ),
        (
            "Commit the transaction.",
            "The digits are 0123456789abcdef.",
            "https://example.org/format.html",
        ),
    ),
)


def normalise(text: str, allowed: Iterable[str] = ()) -> str:
    """`text` as the rules see it, with every phrase of `allowed` blanked out where it stands as a whole."""
    plain = "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf"
    )
    plain = " ".join(re.sub(r"\*\*|__(?=\W|$)|(?<!\w)__", "", plain).split())
    for phrase in sorted({" ".join(p.split()) for p in allowed}, key=len, reverse=True):
        if phrase:
            plain = re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w)", "\N{REPLACEMENT CHARACTER}", plain)
    return plain


def breaches(text: str, allowed: Iterable[str] = ()) -> Iterator[tuple[WordRule, str]]:
    """Each rule that `text` breaks, with the words that break it first."""
    plain = normalise(text, allowed)
    for rule in RULES:
        match = rule.regex.search(plain)
        if match:
            yield rule, match[0][:80]
