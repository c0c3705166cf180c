"""B-SZZ, the plain variant: every line that the fix deletes or replaces, whatever it holds."""

from szz.variant import Variant, VariantExample

PLUGIN = Variant(
    name="b-szz",
    source="Sliwerski, Zimmermann and Zeller: When do changes induce fixes? MSR 2005",
    examples=(
        VariantExample(("a\nb\n", "a\nB\n", "a\nfixed\n"), frozenset({1})),
        VariantExample(
            ("a\n", "a\nb\n", "x\nb\n", "a\nc\n"), frozenset({1, 2}), "two lines, two commits"
        ),
        VariantExample(("a\n", "a\n// b\n", "a\n// c\n"), frozenset({1}), "comments count"),
        VariantExample(("a\nb\n", "a\n  b\n", "a\nc\n"), frozenset({1}), "indentation counts"),
        VariantExample(("a\n", "a\nb\n"), frozenset(), "only adds lines"),
    ),
)
