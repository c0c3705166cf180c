/*
 * Loaded into every program of a build of gold: a compiler driver's folder and command line go to the file
 * that COMPILER_RECORD names, each part ended by a NUL, and the whole by one more.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char record[1 << 18];

__attribute__((constructor)) static void record_compiler(void)
{
    const char *path = getenv("COMPILER_RECORD"), *name;
    char program[4096];
    ssize_t length = path ? readlink("/proc/self/exe", program, sizeof(program) - 1) : -1;
    size_t used;
    int file;

    if (length < 0)
        return;
    program[length] = '\0';
    name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    if (!strstr(name, "gcc") && !strstr(name, "g++") && !strstr(name, "clang"))
        return;
    if (!getcwd(record, sizeof(record) / 2))
        return;
    used = strlen(record) + 1;
    file = open("/proc/self/cmdline", O_RDONLY);
    while (file >= 0 && (length = read(file, record + used, sizeof(record) - 1 - used)) > 0)
        used += (size_t)length;
    if (file >= 0)
        close(file);
    if (used >= sizeof(record) - 1)
        return;
    record[used++] = '\0';
    file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file >= 0) {
        if (write(file, record, used) < 0)
            used = 0;
        close(file);
    }
}
