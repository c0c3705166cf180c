"""What `arena import` reads of other programs: one file each, whose `PLUGIN` is a `ForeignReader`."""
