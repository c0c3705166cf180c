"""AG-SZZ: as B-SZZ, but blank lines, comments and white space take no part."""

from szz.variant import Variant, VariantExample, removed_code

PLUGIN = Variant(
    name="ag-szz",
    source="Kim, Zimmermann, Pan and Whitehead: Automatic identification of BICs, ASE 2006",
    diff=("-w",),
    blame=("-w",),
    lines=removed_code,
    examples=(
        VariantExample(
            ("a;\n", "a;\n/* c\n*/\n", "a;\n"), frozenset(), "a comment is no candidate"
        ),
        VariantExample(
            ("a;\n", "a;\n\n", "a;\n*p = x;\n\n", "a;\n"), frozenset({2}), "*p = x; is code"
        ),
        VariantExample(
            ("a;\n", "a;\n#if B\n", "a;\n"), frozenset({1}), "preprocessor lines are code"
        ),
        VariantExample(("a;\nb;\n", "a;\n\tb;\n", "a;\nc;\n"), frozenset({0})),
    ),
)
