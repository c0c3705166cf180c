/* Wrong uses of the stack, of globals and of pointers, and what ends a program by a signal. */
#include "defect.h"
#include <alloca.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

volatile int table[8];
static char words[16] = "global";

__attribute__((noinline)) static void store_at(int *room, int at) { room[at] = at; }
static void write_past_array(int number) {
    int room[4];
    store_at(room, number);
    sink = room[0];
}

static void read_below_array(int number) {
    volatile char room[8] = {0};
    volatile int at = number - 5;
    sink = room[at];
}

static void write_past_alloca(int number) {
    char *room = alloca(number * 3);
    memset(room, 0, number * 3);
    room[number * 3] = 1;
    sink = room[0];
}

static void copy_past_array(int number) {
    char room[10];
    memset(room, 0, number * 3);
    sink = room[1];
}

static void read_past_global(int number) { sink = table[number * 2]; }

static void copy_past_global(int number) {
    char room[64];
    memcpy(room, words, number * 5);
    sink = room[3];
}

__attribute__((noinline)) static int *keep_local(int number) {
    int local[4] = {number};
    int *volatile kept = local;
    return kept;
}
static void read_after_return(int number) { sink = keep_local(number)[number - 4]; }

static void read_after_scope(int number) {
    int *volatile kept;
    {
        int inner[4] = {number};
        kept = inner;
    }
    sink = kept[number - 4];
}

__attribute__((noinline)) static int recurse(int number) {
    volatile char room[256];
    room[number & 255] = 1;
    return recurse(number + 1) + room[1];
}
static void overflow_stack(int number) { sink = recurse(number); }

static int second_of_two(int number);
__attribute__((noinline)) static int first_of_two(int number) {
    volatile char room[128];
    room[number & 127] = 1;
    return second_of_two(number + 1) + room[1];
}
__attribute__((noinline)) static int second_of_two(int number) {
    volatile char room[512];
    room[number & 511] = 1;
    return first_of_two(number + 1) + room[2];
}
static void overflow_stack_by_two(int number) { sink = first_of_two(number); }

static void read_null(int number) {
    int *volatile place = (int *)(long)(number - 4);
    sink = *place;
}

struct record {
    char head[40];
    int value;
};
static void write_null_field(int number) {
    struct record *volatile record = (struct record *)(long)(number - 4);
    record->value = number;
}

static void read_wild(int number) {
    char *volatile place = (char *)0x6abcdef12340 + number;
    sink = *place;
}

static void call_wild(int number) {
    void (*volatile function)(int) = (void (*)(int))0x1234;
    function(number);
    sink = number;
}

__attribute__((noinline)) static void call_back(void (*function)(int), int number) {
    function(number);
    sink = number;
}
static void call_wild_back(int number) {
    void (*volatile function)(int) = (void (*)(int))(0x7abc0000 + (long)number);
    call_back(function, number);
}

static void call_null(int number) {
    void (*volatile function)(int) = 0;
    function(number);
    sink = number;
}

static void divide_by_nothing(int number) {
    volatile int nothing = number - 4;
    sink = number / nothing;
}

static void abort_itself(int number) {
    if (number == 4) abort();
}

static void fail_assertion(int number) { assert(number < 4); }

static void trap_itself(int number) {
    if (number == 4) __builtin_trap();
}

__attribute__((noinline)) static void *grow(int number) { return malloc(number * 10); }
static void leak_block(int number) {
    char *volatile block = grow(number);
    sink = block != 0;
    block = 0;
}

struct chain {
    struct chain *next;
    char body[24];
};
static struct chain *add_link(struct chain *next) {
    struct chain *link = calloc(1, sizeof *link);
    link->next = next;
    return link;
}
__attribute__((noinline)) static void build_chain(int number) {
    struct chain *volatile chain = 0;
    for (; number > 0; number--) chain = add_link(chain);
    chain = 0;
}
static void leak_chain(int number) { build_chain(number); }

static void leak_copy(int number) {
    char *volatile copy = strdup("a text");
    sink = number + (copy != 0);
    copy = 0;
}

static const struct defect DEFECTS[] = {
    {"write-past-array", write_past_array},
    {"read-below-array", read_below_array},
    {"write-past-alloca", write_past_alloca},
    {"set-past-array", copy_past_array},
    {"read-past-global", read_past_global},
    {"copy-past-global", copy_past_global},
    {"read-after-return", read_after_return},
    {"read-after-scope", read_after_scope},
    {"overflow-stack", overflow_stack},
    {"overflow-stack-by-two", overflow_stack_by_two},
    {"read-null", read_null},
    {"write-null-field", write_null_field},
    {"read-wild", read_wild},
    {"call-wild", call_wild},
    {"call-wild-back", call_wild_back},
    {"call-null", call_null},
    {"divide-by-nothing", divide_by_nothing},
    {"abort-itself", abort_itself},
    {"fail-assertion", fail_assertion},
    {"trap-itself", trap_itself},
    {"leak-block", leak_block},
    {"leak-chain", leak_chain},
    {"leak-copy", leak_copy},
};
#include "main.h"
