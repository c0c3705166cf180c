"""Facts of a specification, read by patterns from its text: only what is written there is certain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from arena.models.languages import Language
from arena.tracks.dual.tasks.schema import Domain

MAX_TEXT = 60_000
_NAME = r"[A-Za-z_$][A-Za-z0-9_$]*"
_CALLABLE = r"(?:function|method|routine|procedure|generator)"
# Words that follow "function" or stand before a parenthesis in prose, and are no names.
_NO_NAMES = frozenset((
    "that", "which", "to", "for", "in", "with", "of", "is", "and", "or", "the", "a", "an", "as",
    "on", "by", "from", "should", "must", "may", "can", "will", "takes", "accepts", "returns",
    "using", "called", "named", "name", "body", "handler", "handlers", "calls", "call",
    "definition", "does", "has", "it", "where", "when", "implementation", "only", "also",
    "signature", "object", "parameters", "arguments", "reads", "main", "int", "void", "char"
))  # fmt: skip
_NAMED = (
    re.compile(rf"{_CALLABLE}s?\s+(?:named|called)\s+[`'\"]?({_NAME})"),
    re.compile(rf"{_CALLABLE}\s+(?:name\s+)?[`'\"]({_NAME})(?:\([^)\n]{{0,200}}\))?[`'\"]"),
    re.compile(rf"{_CALLABLE}\s+({_NAME})\s*\("),
    re.compile(rf"{_CALLABLE}\s+name\s+({_NAME})\s+is\b"),
)
_PLAIN = re.compile(
    rf"{_CALLABLE}\s+({_NAME}),?\s+(?:that|which|to|accept|accepts|taking|takes|with|for)\b"
)
_SIGNATURE = re.compile(rf"(?<![.\w$])({_NAME})\(([^()\n]{{0,300}})\)")
_WEB = re.compile(
    r"(?i)\b(web (?:server|application|app|service|endpoint|route|api)|"
    r"http (?:endpoint|server|route|service)|"
    r"(?:rest|restful|http|web) api|api endpoint|endpoint|"
    r"(?:post|get|put|delete|http) requests? (?:to|at|from)|"
    r"flask|fastapi|django|express(?:\.js)?|route handler|server route|web page|servlet)\b"
)
_ROUTE = re.compile(r"(?<![\w.:/])(/[A-Za-z][A-Za-z0-9_./<>:{}-]{0,99})")
_ROUTE_WORDS = re.compile(
    r"(?i)(?:path|route|endpoint|url|at|to|handles?|requests?)[^\n.]{0,40}$|^[`'\"]?\s*(?:endpoint|route|path)"
)
_STDIN = re.compile(
    r"(?i)\b(standard input|stdin|console input|(?:reads?|takes?|accepts?|gets?|asks?|prompts?)\b[^.\n]{0,40}"
    r"\b(?:user'?s? input|input from (?:the |a )?(?:user|console|keyboard|terminal)|from the user))\b"
    r"|\b(?:prompts?|asks?|requests?|requires?)\s+(?:the |a |an )?users?\s+(?:to|for)\b"
    r"|\busers?\s+(?:then )?(?:enters?|types?|inputs?|is (?:asked|prompted))\b"
    r"|\b(?:from|on) (?:the )?(?:keyboard|console|terminal)\b|\b(?:scanf|fgets|readline|std::cin)\b"
)
_QUESTIONS = re.compile(
    r"(?i)\b(?:prompts?|asks?)\s+(?:the |a |an )?users?\b|\busers? (?:is|are) (?:asked|prompted)\b"
    r"|\b(?:prompts?|asks?) for\b|\bdisplays? a prompt\b"
)
_CLI = re.compile(
    r"(?i)\b(command[- ]line|argv|argparse|cli (?:tool|program|application)|shell script)\b"
)
_ARGUMENTS = re.compile(
    r"(?i)\bcommand[- ]line (?:arguments?|parameters?|options?|flags?)|\bargv\b|\bargparse\b"
    r"|\barguments? (?:from|on|through|via) the command line\b"
    r"|\b(?:cli|command[- ]line) (?:tool|program|application)"
)
_ONE_ARGUMENT = re.compile(
    r"(?i)\b(?:an?|one|single|the|its|first) (?:single |only )?(?:\w+ )?(?:command[- ]line )?"
    r"(?:argument|parameter)\b"
)
_SEVERAL = re.compile(r"(?i)\b(?:arguments|parameters|options|flags|numbers|words|values)\b")
_HELPERS = re.compile(
    r"(?i)\breturns?\b[^.]{0,60}\b(?:object|pair|tuple|dictionary|closure|set)\b[^.]{0,80}"
    r"\b(?:helpers?|methods|functions|closures)\b|\bfactory\b"
    r"|\breturns? (?:two|three|several) (?:helper )?functions"
)
_IN_LANGUAGE = r"(?:\b(?:in|using|language:|with)\s+(?:plain |modern |standard |vanilla )?)"
# C is compiled by the runner of C++.
_LANGUAGES: tuple[tuple[str, Language], ...] = (
    (r"\bpython", "python"),
    (r"\b(?:javascript|node(?:\.js|js)?|typescript)\b", "javascript"),
    (r"(?<!\w)c\+\+|\bcpp\b", "cpp"),
    # A capital C alone, in no other word: not C++, C#, Objective-C's dash or "C's".
    (r"(?<![\w+#-])(?-i:C)(?:99|11|17|23)?(?![\w+#'])", "cpp"),
)
_OTHER_LANGUAGE = re.compile(
    r"(?i)\b(shell script|bash|java(?!script)|go(?:lang)?(?= language)|rust|ruby|php|perl|c#|swift|kotlin)\b"
)
_SERVICES = {
    "a MySQL server": r"\bmysql\b|\bmariadb\b",
    "a PostgreSQL server": r"\bpostgres(?:ql)?\b|\bpsycopg",
    "a MongoDB server": r"\bmongo(?:db|ose)?\b",
    "a Redis server": r"\bredis\b",
    "an LDAP server": r"\bldap\b",
    "a mail server": r"\bsmtp(?:lib)?\b",
    "the command rpmbuild": r"\brpmbuild\b",
    "the command docker": r"\bdocker\b",
    "the package Django": r"\bdjango\b",
}
_DOMAINS: tuple[tuple[Domain, str], ...] = (
    ("web", r"web server|web application|http endpoint|endpoint|route\b|url\b|iframe|html"),
    ("database", r"database|\bsql|sqlite|mysql|query the"),
    ("crypto", r"encrypt|decrypt|\bhash|cipher|\bssl\b|certificate|password|crypto"),
    (
        "system",
        r"system command|execut\w+ (?:a )?command|process(?:es)?\b|package|permission|shell",
    ),
    ("files", r"\bfiles?\b|director(?:y|ies)|path\b"),
    ("data", r"\bparse|\bjson\b|\bxml\b|\byaml\b|\blist\b|\bconvert|dataset|batch"),
    ("input", r"validat|regular expression|regex|user input|sanitiz"),
)
_RETURNED = re.compile(
    r"(?i)\breturn\w*\b[^.;]{0,120}?\b(?:object|dictionary|dict|map)\b[^.;]{0,80}"
)
_COMMANDS = re.compile(
    r"\b(ping|nc|ncat|netcat|curl|wget|nslookup|traceroute|scp|systemctl|sendmail|ffmpeg|whois|nmap|iptables"
    r"|crontab|useradd|unzip)\b|[`'\"](service|host|mail|git|ssh|dig|convert|zip)[`'\" ]"
    r"|\b(service|host|mail|git|ssh|dig|convert|zip) command\b"
    r"|\bcommand (service|host|mail|git|ssh|dig|zip)\b"
)
_DATABASE = re.compile(r"(?<![\w/])(?:\./)?([A-Za-z0-9_][\w./-]{0,120}\.(?:db|sqlite3?))\b")
_HOST = re.compile(r"(?i)\bhttps?://([a-z0-9.-]+\.[a-z]{2,})")
_METHOD = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE)\b")


def _first_words(text: str, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(text[:500]))


@dataclass(frozen=True)
class TestFacts:
    """Facts of a specification: its prompt and its implementation details."""

    prompt: str
    details: str

    @cached_property
    def text(self) -> str:
        return f"{self.prompt[:MAX_TEXT]}\n{self.details[:MAX_TEXT]}"

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that the prompt asks for, as it has them."""
        text = self.prompt[:MAX_TEXT]
        names = [m for pattern in _NAMED for m in pattern.findall(text)]
        names += [name for name in _PLAIN.findall(text) if name.lower() not in _NO_NAMES]
        if re.search(r"\b(functions|methods)\b", text, re.IGNORECASE):
            # Only where several are spoken of: elsewhere a signature is mostly an example of a call.
            names += [name for name, _ in _SIGNATURE.findall(text)]
        function_names = [name for name in names if name.lower() not in _NO_NAMES]
        # In the order of the text, whichever pattern found them.
        return tuple(sorted(dict.fromkeys(function_names), key=text.find))

    @cached_property
    def signatures(self) -> dict[str, tuple[str, ...]]:
        """Name -> parameters, where the prompt writes `name(a, b)`."""
        signatures: dict[str, tuple[str, ...]] = {}
        for name, inside in _SIGNATURE.findall(self.prompt[:MAX_TEXT]):
            parts = [re.split(r"[:=]", part)[0].strip(" *`'\"") for part in inside.split(",")]
            names = tuple(part for part in parts if part)
            if all(re.fullmatch(_NAME, part) for part in names):
                signatures.setdefault(name, names)
        return signatures

    @cached_property
    def asks_for_function(self) -> bool:
        return _first_words(self.prompt, re.compile(rf"(?i)\b{_CALLABLE}s?\b"))

    @cached_property
    def one_object(self) -> bool:
        """Does the function take a single object with fields, and no separate parameters?"""
        return bool(
            re.search(
                r"\b(?:a|one|single)\s+(?:single\s+)?(?:input\s+|options?\s+|config\w*\s+|request\s+)?"
                r"(?:object|dictionary|dict|map)\b"
                r"(?=[^.]{0,40}\b(?:with|containing|as (?:input|a parameter)))",
                _RETURNED.sub(" ", self.prompt[:MAX_TEXT]),
                re.IGNORECASE,
            )
        )

    @cached_property
    def is_web(self) -> bool:
        return _first_words(self.prompt, _WEB) or bool(
            self.routes and _WEB.search(self.details[:MAX_TEXT])
        )

    @cached_property
    def routes(self) -> tuple[str, ...]:
        """Paths that the text calls routes."""
        text, routes = self.text, []
        for match in _ROUTE.finditer(text):
            before, after = (
                text[max(0, match.start() - 60) : match.start()],
                text[match.end() :][:20],
            )
            if _ROUTE_WORDS.search(before.rstrip(" `'\"")) or _ROUTE_WORDS.search(after):
                routes.append(match.group(1).rstrip(".,:/") or "/")
        return tuple(dict.fromkeys(routes))

    @cached_property
    def method(self) -> str:
        """The only method of HTTP in the text; GET where none, or several are."""
        methods = dict.fromkeys(_METHOD.findall(self.prompt[:MAX_TEXT]))
        return next(iter(methods)) if len(methods) == 1 else "GET"

    @property
    def reads_stdin(self) -> bool:
        return bool(_STDIN.search(self.text))

    @property
    def prompts_user(self) -> bool:
        """Does a program write a question before it reads, in words that it chooses?"""
        return bool(_QUESTIONS.search(self.text))

    @property
    def is_cli(self) -> bool:
        return bool(_CLI.search(self.text))

    @cached_property
    def takes_arguments(self) -> bool:
        """Is it a program that takes its input from the command line?"""
        return bool(_ARGUMENTS.search(self.text)) or self.says(r"\bmain\s*\(\s*int argc")

    @cached_property
    def one_argument(self) -> bool:
        """Is there a single argument, which is the whole text?"""
        if _ARGUMENTS.search(self.text) and _SEVERAL.search(self.prompt[:MAX_TEXT]):
            return False
        return bool(_ONE_ARGUMENT.search(self.prompt[:MAX_TEXT])) or not _SEVERAL.search(
            self.prompt[:MAX_TEXT]
        )

    @cached_property
    def makes_helpers(self) -> bool:
        """Does the function return functions, which are what tests call?"""
        return bool(_HELPERS.search(self.prompt[:MAX_TEXT]))

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """System programs that the specification wants programs to run, and which the runner lacks."""
        if not self.says(
            r"\b(?:command|execut|run|subprocess|system call|shell|child_process|popen)"
        ):
            return ()
        commands = (next(filter(None, names)) for names in _COMMANDS.findall(self.text))
        return tuple(dict.fromkeys(commands))

    def says(self, pattern: str) -> bool:
        return bool(re.search(pattern, self.text, re.IGNORECASE))

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """Of the implementation details' first words, else of any that say "in" a language; or Python."""
        languages = [
            language
            for pattern, language in _LANGUAGES
            if re.search(pattern, self.details[:80], re.IGNORECASE)
        ]
        languages += [
            language
            for text in (self.details, self.prompt)
            for pattern, language in _LANGUAGES
            if re.search(_IN_LANGUAGE + f"(?:{pattern})", text[:MAX_TEXT], re.IGNORECASE)
        ]
        return tuple(languages[:1]) or ("python",)

    @property
    def other_language(self) -> str:
        match = _OTHER_LANGUAGE.search(self.details[:200])
        return match.group(1) if match else ""

    @cached_property
    def services(self) -> tuple[str, ...]:
        """What programs need that the runner has not."""
        return tuple(name for name, pattern in _SERVICES.items() if self.says(pattern))

    @cached_property
    def endings(self) -> tuple[str, ...]:
        """Endings of files that programs read, which they may add to the name in the input."""
        endings = re.findall(r"\.(ya?ml|json|xml|xsd|txt|csv|md|html)\b", self.text)
        endings += re.findall(r"\b(yaml|json|xml|csv) (?:file|fixture)", self.text.lower())
        return tuple(f".{name}" for name in dict.fromkeys(endings))

    @cached_property
    def needs_dom(self) -> bool:
        """Does the function work on elements of a page?"""
        return self.says(
            r"\bpostMessage\b|\biframe\b|\bDOM (?:element|node|tree)|\bdocument\.|querySelector"
        )

    @cached_property
    def databases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_DATABASE.findall(self.text)))

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Remote sites that the specification lets programs query."""
        return tuple(dict.fromkeys(host.lower() for host in _HOST.findall(self.prompt)))

    @property
    def domain(self) -> Domain:
        """The domain whose words appear the highest number of times; at a tie the earlier in the table."""
        counts = [
            (len(re.findall(words, self.prompt[:MAX_TEXT], re.IGNORECASE)), name)
            for name, words in _DOMAINS
        ]
        best = max(count for count, _ in counts)
        return next(name for count, name in counts if count == best) if best else "other"

    def names_field(self, name: str) -> bool:
        """Does the text name `name`, in any way of writing it?"""
        plain = re.sub(r"[^a-z0-9]", "", name.lower())
        return bool(plain) and plain in self._letters

    @cached_property
    def _letters(self) -> str:
        return re.sub(r"[^a-z0-9]", "", self.text.lower())
