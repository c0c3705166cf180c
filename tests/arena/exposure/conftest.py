"""Programs of the corpus are read and never imported, whatever they are called."""

collect_ignore = ["corpus"]
