/* Wrong uses of the heap. */
#include "defect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *make_text(int size) {
    char *text = malloc(size);
    memset(text, 'x', size);
    return text;
}

__attribute__((noinline)) static int sum_bytes(const char *text, int count) {
    int sum = 0;
    for (int i = 0; i <= count; i++) sum += text[i];
    return sum;
}
static void read_past_end(int number) { sink = sum_bytes(make_text(number), number); }

__attribute__((noinline)) static void fill_bytes(char *text, int count) {
    for (int i = 0; i <= count; i++) text[i] = (char)i;
}
static void write_past_end(int number) {
    char *text = make_text(number);
    fill_bytes(text, number);
    sink = text[0];
}

static void read_before_start(int number) { sink = make_text(number)[number - 6]; }

static void copy_too_much(int number) {
    char room[64];
    memcpy(room, make_text(number), number * 8);
    sink = room[number];
}

static void compare_too_much(int number) { sink = memcmp(make_text(number), make_text(number), number * 4); }

static void compare_with_bcmp(int number) { sink = bcmp(make_text(number), make_text(number), number * 4); }

static void copy_long_text(int number) {
    char *small = malloc(number);
    strcpy(small, "a text of more characters than fit");
    sink = small[0];
}

static void measure_open_text(int number) { sink = strlen(make_text(number)); }

static void print_open_text(int number) { printf("%s\n", make_text(number)); }

static void scan_into_small(int number) {
    char *small = malloc(number);
    sscanf("abcdefghijklmnop", "%15s", small);
    sink = small[0];
}

static void read_after_free(int number) {
    char *text = make_text(number);
    free(text);
    sink = text[number - 1];
}

struct node {
    struct node *next;
    int value;
};
__attribute__((noinline)) static void drop_list(struct node *list) {
    for (; list; list = list->next) free(list);
}
static void walk_freed_list(int number) {
    struct node *list = calloc(1, sizeof *list);
    list->value = number;
    drop_list(list);
}

static void write_after_realloc(int number) {
    char *volatile text = make_text(number);
    char *grown = realloc(text, number * 5000);
    text[1] = 'y';
    sink = grown[0];
}

static void free_twice(int number) {
    char *text = make_text(number);
    free(text);
    free(text);
}

__attribute__((noinline)) static void release(void *block) { free(block); }
static void release_twice(int number) {
    char *text = make_text(number);
    release(text);
    release(text);
}

static void free_inside(int number) { free(make_text(number) + number - 2); }

static void free_stack(int number) {
    char room[32];
    char *volatile place = room;
    memset(room, 0, number);
    free(place);
}

static void move_negative(int number) {
    char *text = make_text(number * 4);
    memmove(text, text + 1, number - 9);
    sink = text[0];
}

static void copy_over_itself(int number) {
    char *text = make_text(number * 4);
    memcpy(text, text + 2, number + 2);
    sink = text[0];
}

static void ask_for_too_much(int number) {
    char *text = malloc((size_t)number << 52);
    sink = (long)text;
}

static void ask_for_product(int number) {
    char *text = calloc((size_t)-1 / 2, number);
    sink = (long)text;
}

static int compare_rows(const void *one, const void *other) {
    const int *left = one, *right = other;
    return left[0] - right[600];
}
static void sort_rows(int number) {
    int *rows = calloc(number, sizeof *rows);
    qsort(rows, number, sizeof *rows, compare_rows);
    sink = rows[0];
}

static inline int pick(const int *row, int at) { return row[at]; }
static inline int pick_next(const int *row, int at) { return pick(row, at + 1); }
static void pick_behind(int number) { sink = pick_next(calloc(number, sizeof(int)), number); }

__attribute__((noinline)) static int level_six(const char *text, int at) { return text[at] + 1; }
__attribute__((noinline)) static int level_five(const char *text, int at) { return level_six(text, at) + 1; }
__attribute__((noinline)) static int level_four(const char *text, int at) { return level_five(text, at) + 1; }
__attribute__((noinline)) static int level_three(const char *text, int at) { return level_four(text, at) + 1; }
__attribute__((noinline)) static int level_two(const char *text, int at) { return level_three(text, at) + 1; }
static void read_six_deep(int number) { sink = level_two(make_text(number), number + 1); }

__attribute__((noinline)) static void store_last(char *text, int at) { text[at] = 1; }
__attribute__((noinline)) static void pass_on(char *text, int at) { store_last(text, at + 1); }
static void write_by_tail_call(int number) { pass_on(make_text(number), number); }

static const struct defect DEFECTS[] = {
    {"read-past-end", read_past_end},
    {"write-past-end", write_past_end},
    {"read-before-start", read_before_start},
    {"copy-too-much", copy_too_much},
    {"compare-too-much", compare_too_much},
    {"compare-with-bcmp", compare_with_bcmp},
    {"copy-long-text", copy_long_text},
    {"measure-open-text", measure_open_text},
    {"print-open-text", print_open_text},
    {"scan-into-small", scan_into_small},
    {"read-after-free", read_after_free},
    {"walk-freed-list", walk_freed_list},
    {"write-after-realloc", write_after_realloc},
    {"free-twice", free_twice},
    {"release-twice", release_twice},
    {"free-inside", free_inside},
    {"free-stack", free_stack},
    {"move-negative", move_negative},
    {"copy-over-itself", copy_over_itself},
    {"ask-for-too-much", ask_for_too_much},
    {"ask-for-product", ask_for_product},
    {"sort-rows", sort_rows},
    {"pick-behind", pick_behind},
    {"read-six-deep", read_six_deep},
    {"write-by-tail-call", write_by_tail_call},
};
#include "main.h"
