/* How a test ends badly behind its framework's back, by the variable DIE; the test after it fails then. */
#ifndef ADVERSE_H
#define ADVERSE_H
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void kill_itself(void) { raise(SIGKILL); }

static inline int dies_by(const char *how) { return getenv("DIE") && strcmp(getenv("DIE"), how) == 0; }

static inline void act_badly(void) {
    fflush(NULL);
    if (dies_by("child")) { /* The rest runs twice: in a child, and then here. */
        pid_t child = fork();
        if (child != 0) waitpid(child, NULL, 0);
    }
    if (dies_by("atexit")) atexit(kill_itself); /* Behind the closing line. */
    if (dies_by("closed")) dup2(open("/dev/null", O_WRONLY), 1);
    if (dies_by("exec")) execl("/bin/true", "true", (char *)NULL);
    if (dies_by("rewind")) lseek(1, 0, SEEK_SET); /* What follows is written over what was printed. */
}

static inline int is_asked(void) { return getenv("DIE") != NULL; }
#endif
