/*
 * The positive control: a library that is loaded into the fuzz target and, where `mode` is changed to "ON0",
 * makes a memory error of its own when the program ends. A sanitizer that is at work reports it. The digit behind
 * "ON" is the size of the block: what resets a sanitizer's records of one size leaves those of others.
 *
 * The error is one that the runtime finds by itself, so that this file needs no instrumentation.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define IF_LINKED __attribute__((weak))

extern void __asan_init(void) IF_LINKED;
extern void __msan_check_mem_is_initialized(const volatile void *, size_t) IF_LINKED;
extern void __tsan_init(void) IF_LINKED;
extern void __ubsan_handle_builtin_unreachable(void *) IF_LINKED;

static volatile char mode[] = "ARENA-CONTROL=OFF";
static const size_t sizes[] = {24, 120, 700, 3000, 20000, 300000};
static char copy[300064];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const char *file;
    unsigned line, column;
} place = {"arena_control", 1, 1};

/* For LeakSanitizer: many, since a register may still hold the last. */
static void lose(void)
{
    for (int i = 0; i < 64; i++)
        *(volatile char *)malloc(24) = 1;
}

static void arena_control(void)
{
    volatile size_t size;
    char *volatile memory;

    if (mode[15] == 'F')
        return;
    size = sizes[(mode[16] - '0') % (sizeof(sizes) / sizeof(sizes[0]))];
    lose();
    memory = malloc(size);
    if (__asan_init)
        memcpy(copy, memory, size + 16);
    else if (__msan_check_mem_is_initialized)
        __msan_check_mem_is_initialized(memory, size);
    else if (__tsan_init) {
        pthread_mutex_lock(&lock);
        pthread_mutex_destroy(&lock);
    } else if (__ubsan_handle_builtin_unreachable)
        __ubsan_handle_builtin_unreachable(&place);
    free(memory);
}

__attribute__((constructor)) static void begin(void)
{
    atexit(arena_control);
}
