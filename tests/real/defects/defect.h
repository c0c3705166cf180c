/* A defect: its name on the command line and in the table of results, and the function that has it. */
struct defect {
    const char *name;
    void (*run)(int number);
};

/* Where a result goes, so that no read is left out. */
static volatile long sink;
