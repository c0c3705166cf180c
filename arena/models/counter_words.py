"""Words by which a sentence says of the code below it that it is what not to do, or that it is the answer.

The patterns read a sentence in lower case, without Markdown, of bounded length; each repeat has a bound.
"""

from __future__ import annotations

import re


def _any(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms))


_FLAWED = (
    r"(?:insecure|unsecured?|vulnerable|unsafe|dangerous|exploitable|injectable|flawed|na[i\u00ef]ve|bad|wrong"
    r"|incorrect|non-?compliant|weak|broken|risky|problematic|unprotected|unsaniti[sz]ed|unpatched|discouraged"
    r"|poor|faulty)"
)
_SOUND = (
    r"(?:secured?|safer?|fixed|corrected|improved|hardened|patched|final|updated|better|right|correct|compliant"
    r"|recommended|proper|good|revised|refactored|robust|preferred)"
)
_CODE = (
    r"(?:codes?|versions?|ways?|approach(?:es)?|implementations?|examples?|variants?|methods?|patterns?|practices?"
    r"|styles?|snippets?|alternatives?|solutions?|programs?|functions?|ones?|forms?|counterparts?|equivalents?"
    r"|drafts?|attempts?|quer(?:y|ies)|usages?|handlers?|endpoints?|routes?|scripts?|class(?:es)?|modules?|suites?"
    r"|tests?|techniques?|options?|choices?|ideas?|integrations?)\b"
)
_WORD = r"[\w'-]{1,30}"
_WORDS = r"(?:[\w'/,+.-]{1,30} ){0,3}"
_IT = r"(?:it|this|that|these|the following)"
# What a label may begin with; a label says what the block is, and ends.
_LABEL = r"^\W*(?:\d+[.)] |example:? |option \w+:? ){0,2}(?:(?:the|an?|my) )?"
_END = r"\W{0,3}(?:$|[:(\[,.!;)\]\u2013\u2014-])"
_NOT = r"(?:do not|don't|dont|never|should not|shouldn't|must not|mustn't)"
_DO = r"(?:do|use|write|copy|deploy|run|ship|try|follow|implement|build|store|hash)"

# It is not insecure: this says nothing against it.
NEGATED = _any(
    rf"\b(?:not|no longer|never|isn't|aren't|wasn't|won't|without) (?!only\b)(?:{_WORD} ){{0,2}}{_FLAWED}\b"
)
# What the block is only compared with, or made from: "the fixed version of the vulnerable code".
REFERRED = _any(
    r"\b(unlike|compar(?:ed|ison) (?:to|with)|(?:in )?contrast (?:to|with)|(?:as )?opposed to|instead of"
    r"|rather than|than|versus|vs\.?|avoids|avoiding|to avoid|prevent(?:s|ing)?|fix(?:es|ed|ing)?"
    r"|replac(?:es?|ed|ing)|remov(?:es?|ing)|eliminat(?:es?|ing)|correct(?:s|ing)|improv(?:es?|ing)"
    r"|patch(?:es|ing)|secur(?:es|ing)"
    r"|(?:version|variant|rewrite|fix|replacement|equivalent|counterpart|alternative|form) (?:of|for|to))"
    rf" {_WORDS}(?:{_FLAWED}|{_SOUND})\b(?: {_WORDS}{_CODE})?"
)
# What a text says of an earlier block.
ABOVE = _any(
    rf"(?:{_FLAWED}|{_SOUND}) {_WORDS}{_CODE} (?:(?:is|was|shown|given|from) ){{0,2}}(?:above|earlier)\b",
    rf"\b(?:the|{_CODE}) (?:shown |given )?above (?:is|was|uses|avoids|does)\b[^,.;:]*",
)
AGAINST = _any(
    rf"{_FLAWED} {_WORDS}{_CODE}",  # the insecure way
    rf"{_LABEL}{_FLAWED}(?:{_END}| to\b)",  # Insecure:
    rf"[(\[] ?{_FLAWED}\b",  # Old style (vulnerable)
    rf"\b(?:this|which|that|it|following|below|version|code) (?:{_WORD} ){{0,2}}"
    rf"(?:is|are|remains?|(?:would|may|might|could|can) be) (?:{_WORD} )?{_FLAWED}\b",  # this is unsafe
    rf"\b(?:not|less|isn't|never|hardly) (?!only\b)(?:{_WORD} ){{0,2}}"
    r"(?:secure|safe|recommended|advised|correct|proper)\b",  # not secure
    rf"\b{_NOT} (?:{_WORD} )?{_DO}(?: {_IT})?{_END}",  # don't do this, but not "do not use it in ..."
    rf"\b{_NOT} (?:{_WORD} )?{_DO} {_WORDS}(?:like {_IT}|(?:this|that) way)\b",  # never hash like this
    rf"\b(?:what|how) (?:{_WORD} ){{0,2}}not to\b|\bnot like this\b|\b(?:to|should) be avoided",
    rf"\bavoid{_END}",  # the way to avoid, for comparison
    rf"(?:^|[.:;!,(] ?|should |must |always |please )avoid (?:doing |using |writing |code like )?{_IT}\b",
    r"\bcounter-?examples?\b|\banti-?patterns?\b|\bwithout (?:the|this) fix\b",
    rf"^instead of\b[^,]*$|{_LABEL}before{_END}|{_LABEL}(?:old|original) (?:{_WORD} )?{_CODE}",
    r"[\u274c\u2717\u2718\U0001f6ab\u26d4\U0001f44e]",  # crosses, no entry, thumbs down
)
FOR = _any(
    rf"{_SOUND} {_WORDS}{_CODE}",  # the corrected version
    rf"{_LABEL}(?:{_SOUND}|fix|solution|answer|after){_END}",  # Fixed:
    rf"(?:^|[,;:] ?|should |please |instead )(?:use|do) {_IT}\b|^use\b|\binstead{_END}",
    r"[\u2705\u2714]",  # ticks
)
# Against a block of which the text says nothing better.
BESIDE = _any(r"\b(?:for|by|in) (?:comparison|contrast|reference only)\b")
FLAWED_TITLE = _any(rf"{_LABEL}(?:insecure|vulnerable|unsafe|bad|wrong|incorrect)\b")
FLAWED_NAME = re.compile(
    r"(?:^|_)(?:insecure|vulnerable|unsafe|bad|wrong|naive)(?:_|$)|^(?:insecure|vulnerable|unsafe)"
    r"|(?:Insecure|Vulnerable|Unsafe)"
)
