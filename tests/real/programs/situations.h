/* What the tests of all C and C++ programs here do besides their assertions. */
#ifndef SITUATIONS_H
#define SITUATIONS_H
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the test in the middle ends the program, by the variable DIE. */
static inline void die_as_asked(void) {
    const char *how = getenv("DIE");
    if (how == NULL) return;
    if (strcmp(how, "crash") == 0) abort();
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    if (strcmp(how, "exit0") == 0) exit(0);
    if (strcmp(how, "sleep") == 0) sleep(30);
}

static inline void print_without_newline(void) {
    fputs("no newline behind this", stdout);
    fflush(stdout);
}

/* A result line of the framework, printed by the code under test. */
static inline void print_forged(const char *lines) {
    fputs(lines, stdout);
    fflush(stdout);
}

static inline void *print_from_thread(void *number) {
    for (int line = 0; line < 20; line++) printf("thread %s: PASS ok not ok\n", (const char *)number);
    return NULL;
}

static inline void print_from_threads(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, print_from_thread, (void *)"one");
    pthread_create(&second, NULL, print_from_thread, (void *)"two");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    fflush(stdout);
}

static inline void print_from_child(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        puts("FAIL: child\nFAILED\nnot a result of any test");
        fflush(stdout);
        _exit(3);
    }
    waitpid(child, NULL, 0);
}
#endif
