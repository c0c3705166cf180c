"""What a reply shows as what not to do is no answer, and nothing else is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models.blocks import Block, find_blocks
from arena.models.counter_examples import NOTE, drop_counter_examples, is_counter_example

WEAK = "def store(p):\n    return md5(p)\n"
GOOD = "def store(p):\n    return scrypt(p)\n"

AGAINST = """\
For comparison, the insecure way you should avoid:
Insecure version (do not use):
### Insecure
**Vulnerable version, for reference:**
\u274c Don't do this:
Never do it like this:
The naive approach, which is vulnerable:
Bad example:
Before (vulnerable):
Before:
Instead of:
Instead of the insecure code:
Avoid this:
Pattern to avoid:
What not to do:
This is how NOT to do it:
Never store passwords like this:
A simple but insecure MD5-based implementation would be:
The wrong way
The following may be vulnerable to SQL injection:
Here\u2019s what an unsafe implementation would look like:
Anti-pattern:
This version is not secure:
The insecure version (compare with the secure version above):
Unlike the secure version above, this is vulnerable:
The version above is secure. This one is not recommended. It looks like this:
For contrast, here is the MD5 variant
You should never write:
Insecure variant of the secure code
Original code:
The secure version is above; the insecure version:
Examples of **incorrect** code for this rule:
"""
NOT_AGAINST = """\
Fixed version of the vulnerable code:
The fixed version, which avoids the insecure pattern:
To avoid SQL injection, use parameterized queries:
Instead of the insecure version, use:
To avoid this, use:
Here is code that is not vulnerable to SQL injection:
How to fix the vulnerable code:
Unlike the insecure version, this uses scrypt:
A more secure version:
Do this instead of the vulnerable version:
It returns False if the password is wrong:
Escape unsafe characters:
This avoids the insecure MD5 approach.
Secure version (avoids the insecure pattern)
Don't use MD5; use scrypt:
Note: do not use in production
A better approach than the naive version:
The code above is vulnerable. Use this:
The corrected function; the naive one would be vulnerable:
Here is the code:
Examples of **correct** code for this rule:
\u2705 Good:
"""


def shown(*blocks: tuple[str, str]) -> list[Block]:
    """Blocks of code, each with the text above it."""
    return find_blocks("\n\n".join(f"{above}\n\n```python\n{code}```" for above, code in blocks))


@pytest.mark.parametrize("above", AGAINST.splitlines())
def test_a_block_is_what_not_to_do_by_the_words_above_it(above: str) -> None:
    answer, other = shown(("Use this:", GOOD), (above, WEAK))
    notes: list[str] = []
    assert drop_counter_examples([answer, other], notes) == [answer]
    assert notes == [NOTE]


@pytest.mark.parametrize("above", NOT_AGAINST.splitlines())
def test_other_words_leave_nothing_out(above: str) -> None:
    assert not is_counter_example(shown((above, GOOD))[0])


@pytest.mark.parametrize(
    "reply",
    [
        f"So:\n```python\n# INSECURE - do not use\n{WEAK}```",
        f"So:\n```js\n// BAD\n{WEAK}```",
        f"So:\n```python\n#!/usr/bin/python\n# Vulnerable: a fast digest\n{WEAK}```",
        f'```python\n"""What not to do."""\n{WEAK}```',
        f"### Insecure storage\n\nSome words.\n\nSo it is:\n\n```python\n{WEAK}```",
        f"**Vulnerable:**\n\nSome words.\n```python\n{WEAK}```",
        f"So:\n```python\n{WEAK.replace('store', 'store_insecure')}```",
        f"An insecure version: ```python\n{WEAK}```",
    ],
)
def test_comments_names_and_headings_say_it_too(reply: str) -> None:
    assert is_counter_example(find_blocks(reply)[0])


@pytest.mark.parametrize(
    "reply",
    [
        f"## Insecure\n```python\n{WEAK}```\nNow the fixed version:\n```python\n{GOOD}```",
        f"## Insecure\n```python\n{WEAK}```\n## Answer\nHere:\n```python\n{GOOD}```",
        f"```python\n# Before\n{WEAK}```\nHere:\n```python\n# After\n{GOOD}```",
        f"An insecure draft:\n```python\n{WEAK}```\nImproved:\n```python\n{GOOD}```",
    ],
)
def test_what_follows_a_counter_example_is_the_answer(reply: str) -> None:
    (kept,) = drop_counter_examples(find_blocks(reply), [])
    assert GOOD in kept.text


USE = "print(store('a'))\n" * 9
TEST = "def test_store():\n    assert store('a') != store('b')\n"


@pytest.mark.parametrize(
    ("above", "code"),
    [("Use it so:", USE), ("A test:", TEST), ("Install:", "pip install x\n")],
)
def test_an_answer_cannot_hide_by_being_called_insecure(above: str, code: str) -> None:
    """Only another version can stand for it."""
    blocks = shown(("A naive version, not for production:", WEAK), (above, code))
    assert drop_counter_examples(blocks, []) == blocks


def test_another_version_may_be_shorter_and_other_code_may_not() -> None:
    weak = ("An insecure version:", WEAK + "    # a long comment\n" * 20)
    assert drop_counter_examples(shown(("Use this:", GOOD), weak), []) == shown(("Use this:", GOOD))
    helper = ("A helper:", "def salt():\n    return 1\n")
    assert len(drop_counter_examples(shown(helper, weak), [])) == 2


def test_only_the_paragraph_above_a_block_speaks_of_it() -> None:
    assert not is_counter_example(shown(("There is an insecure way.\n\nIt is this:", GOOD))[0])
    assert is_counter_example(shown(("There is an insecure way.\nIt is this:", GOOD))[0])


def test_where_all_are_counter_examples_none_is() -> None:
    blocks = shown(("Bad:", WEAK), ("Also bad:", GOOD), ("Insecure:", WEAK))
    assert drop_counter_examples(blocks[::2], []) == blocks[::2]


@given(st.text(), st.text())
def test_any_words_are_read(above: str, code: str) -> None:
    block = Block("python", code, above=above, heading=above)
    assert is_counter_example(block) in (True, False)
    assert drop_counter_examples([block], []) == [block]
