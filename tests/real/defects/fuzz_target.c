/* A fuzz target: the first byte of its input says what it does. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;

__attribute__((noinline)) static void overflow(const uint8_t *data, size_t size) {
    char *room = malloc(4);
    memcpy(room, data, size);
    sink = room[0];
    free(room);
}

__attribute__((noinline)) static void stop(void) { abort(); }

__attribute__((noinline)) static void fault(const uint8_t *data) { *(volatile int *)(long)data[1] = 1; }

__attribute__((noinline)) static void hang(void) {
    for (;;) sink++;
}

__attribute__((noinline)) static void leave(void) { exit(3); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;
    if (data[0] == 'o') overflow(data, size);
    if (data[0] == 'a') stop();
    if (data[0] == 'f') fault(data);
    if (data[0] == 'h') hang();
    if (data[0] == 'x') leave();
    return 0;
}
