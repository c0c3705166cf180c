"""B-SZZ without white space: it neither makes a line changed by the fix, nor gives it a new origin."""

from szz.variant import Variant, VariantExample

PLUGIN = Variant(
    name="b-szz-w",
    source="B-SZZ with git's -w, for the diff and for blame",
    diff=("-w",),
    blame=("-w",),
    examples=(
        VariantExample(
            ("a\nb\n", "a\n  b\n", "a\nc\n"), frozenset({0}), "a re-indentation is looked through"
        ),
        VariantExample(("a\n", "b\na\n", "b\n  a\n"), frozenset(), "the fix only indents"),
    ),
)
