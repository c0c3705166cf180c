/* Hooks for native programs, loaded by LD_PRELOAD: arena/tracks/dual/runner/hooks.py says what the kinds mean.
 *
 * Only calls out of the program itself count, not those of its libraries. Functions that are compiled into the
 * program (std::mt19937, a static library) cannot be seen. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MOST 200
#define HERE __builtin_return_address(0)
#define REAL(name) ((__typeof__(&name))next(#name))

static const char *seen_path;
static long seed = -1;
static void *program;
static unsigned long told[MOST];
static int told_count;

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) _exit(127);
    return found;
}

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("ARENA_SEED");
    Dl_info info;
    seen_path = getenv("ARENA_SEEN");
    if (seen_path) seen_path = strdup(seen_path);
    if (given) seed = atol(given);
    /* shells and other programs of the system are none of the candidate's */
    char self[4096], root[256];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    snprintf(root, sizeof root, "%s/", getenv("ARENA_ROOT") ? getenv("ARENA_ROOT") : "/srv");
    /* a candidate that was built is bound where `arena/tracks/dual/languages/adapters/cpp.py` says */
    const char *built = "/opt/arena/built/";
    if (strncmp(self, root, strlen(root)) && strncmp(self, built, strlen(built))) seen_path = NULL;
    void *start = dlsym(RTLD_DEFAULT, "main");
    program = start && dladdr(start, &info) ? info.dli_fbase : NULL;
    if (!program) {
        /* main is not exported: the program is what /proc/self/maps names first */
        FILE *maps = fopen("/proc/self/maps", "re");
        unsigned long base = 0;
        if (maps && fscanf(maps, "%lx", &base) == 1) program = (void *)base;
        if (maps) fclose(maps);
    }
}

static void quoted(char *to, size_t room, const char *text) {
    size_t at = 0;
    for (; *text && at + 7 < room; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter < 32 || letter == '"' || letter == '\\' || letter > 126)
            at += (size_t)snprintf(to + at, room - at, "\\u%04x", letter);
        else
            to[at++] = (char)letter;
    }
    to[at] = 0;
}

static unsigned long sum(const char *text, unsigned long value) {
    while (*text) value = value * 31 + (unsigned char)*text++;
    return value;
}

/* Tells of one place in the program, once. Where nobody listens, nothing happens. */
static void tell(const char *kind, const char *how, const char *what, const void *from) {
    Dl_info info;
    char shown[900], place[300], line[1600];
    int before = errno;
    if (!seen_path || told_count >= MOST || !dladdr(from, &info) || info.dli_fbase != program) return;
    unsigned long key = sum(what, sum(how, (unsigned long)from));
    for (int i = 0; i < told_count; i++)
        if (told[i] == key) return;
    told[told_count++] = key;
    quoted(shown, sizeof shown, what);
    quoted(place, sizeof place, info.dli_sname ? info.dli_sname : "program");
    int length = snprintf(line, sizeof line, "{\"kind\":\"%s\",\"what\":\"%s%s%s\",\"detail\":\"%s+0x%lx\"}\n", kind, how,
                          *how && *shown ? " " : "", shown, place, (unsigned long)((const char *)from - (char *)info.dli_fbase));
    int pipe = open(seen_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (pipe >= 0) {
        if (length > 0 && length < (int)sizeof line && write(pipe, line, (size_t)length) < 0) errno = before;
        close(pipe);
    }
    errno = before;
}

/* ---- weak generators ---- */

static long seeded(unsigned long given) {
    time_t now = time(NULL);
    long apart = (long)(given - (unsigned long)(unsigned int)now);
    return seed >= 0 && apart > -60 && apart < 60 ? seed : (long)given;
}

#define WEAK(type, name, parameters, arguments)           \
    type name parameters {                                \
        tell("weak-random", #name, "", HERE);             \
        return REAL(name) arguments;                      \
    }
WEAK(int, rand, (void), ())
WEAK(int, rand_r, (unsigned *state), (state))
WEAK(long, random, (void), ())
WEAK(double, drand48, (void), ())
WEAK(long, lrand48, (void), ())
WEAK(long, mrand48, (void), ())

#define SEEDED(name, type)                                     \
    void name(type given) {                                    \
        tell("weak-random", #name, "", HERE);                  \
        REAL(name)((type)seeded((unsigned long)given));        \
    }
SEEDED(srand, unsigned)
SEEDED(srandom, unsigned)
SEEDED(srand48, long)

/* ---- weak hashes and ciphers of OpenSSL, whose headers need not be there: those of parsers/weak_crypto.py ---- */

#define WEAK_ALGORITHM(kind, name)                        \
    const void *name(void) {                              \
        tell(kind, #name, "", HERE);                      \
        return ((const void *(*)(void))next(#name))();    \
    }
WEAK_ALGORITHM("weak-hash", EVP_md4)
WEAK_ALGORITHM("weak-hash", EVP_md5)
WEAK_ALGORITHM("weak-hash", EVP_sha1)
WEAK_ALGORITHM("weak-hash", EVP_ripemd160)
WEAK_ALGORITHM("weak-cipher", EVP_des_cbc)
WEAK_ALGORITHM("weak-cipher", EVP_des_ede3_cbc)
WEAK_ALGORITHM("weak-cipher", EVP_rc2_cbc)
WEAK_ALGORITHM("weak-cipher", EVP_rc4)
WEAK_ALGORITHM("weak-cipher", EVP_bf_cbc)
WEAK_ALGORITHM("weak-cipher", EVP_cast5_cbc)
WEAK_ALGORITHM("weak-cipher", EVP_idea_cbc)
WEAK_ALGORITHM("weak-cipher", EVP_seed_cbc)
WEAK_ALGORITHM("weak-cipher", EVP_aes_128_ecb)
WEAK_ALGORITHM("weak-cipher", EVP_aes_192_ecb)
WEAK_ALGORITHM("weak-cipher", EVP_aes_256_ecb)

#define WEAK_DIGEST(name)                                                                    \
    unsigned char *name(const unsigned char *data, size_t length, unsigned char *digest) {   \
        tell("weak-hash", #name, "", HERE);                                                  \
        return ((unsigned char *(*)(const unsigned char *, size_t, unsigned char *))next(#name))(data, length, digest); \
    }
WEAK_DIGEST(MD5)
WEAK_DIGEST(SHA1)
WEAK_DIGEST(RIPEMD160)

#define WEAK_BEGIN(name)                               \
    int name(void *context) {                          \
        tell("weak-hash", #name, "", HERE);            \
        return ((int (*)(void *))next(#name))(context); \
    }
WEAK_BEGIN(MD5_Init)
WEAK_BEGIN(SHA1_Init)
WEAK_BEGIN(RIPEMD160_Init)

/* ---- programs and connections ---- */

int system(const char *command) {
    tell("spawn", "system", command ? command : "", HERE);
    return REAL(system)(command);
}

FILE *popen(const char *command, const char *mode) {
    tell("spawn", "popen", command, HERE);
    return REAL(popen)(command, mode);
}

#define SPAWN(name, parameters, arguments)      \
    int name parameters {                       \
        tell("spawn", #name, path, HERE);       \
        return REAL(name) arguments;            \
    }
SPAWN(execv, (const char *path, char *const argv[]), (path, argv))
SPAWN(execvp, (const char *path, char *const argv[]), (path, argv))
SPAWN(execve, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
SPAWN(execvpe, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
SPAWN(posix_spawn,
      (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
       char *const argv[], char *const env[]),
      (pid, path, actions, attributes, argv, env))
SPAWN(posix_spawnp,
      (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
       char *const argv[], char *const env[]),
      (pid, path, actions, attributes, argv, env))

#define LISTED 256
#define LIST(name, call)                                                  \
    int name(const char *path, const char *first, ...) {                  \
        char *argv[LISTED] = {(char *)first};                             \
        va_list more;                                                     \
        tell("spawn", #name, path, HERE);                                 \
        va_start(more, first);                                            \
        for (int i = 1; i < LISTED - 1 && argv[i - 1]; i++) argv[i] = va_arg(more, char *); \
        va_end(more);                                                     \
        return REAL(call)(path, argv);                                    \
    }
LIST(execl, execv)
LIST(execlp, execvp)

int connect(int number, const struct sockaddr *address, socklen_t length) {
    char shown[200] = "", host[INET6_ADDRSTRLEN] = "";
    if (address && address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        snprintf(shown, sizeof shown, "%s:%d", host, ntohs(four->sin_port));
    } else if (address && address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        snprintf(shown, sizeof shown, "%s:%d", host, ntohs(six->sin6_port));
    } else if (address && address->sa_family == AF_UNIX) {
        snprintf(shown, sizeof shown, "%.108s", ((const struct sockaddr_un *)address)->sun_path);
    }
    /* "connect" is the kind; how is told by the address alone */
    if (*shown) tell("connect", "", shown, HERE);
    return REAL(connect)(number, address, length);
}
