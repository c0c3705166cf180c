// What MemorySanitizer reports: decisions on memory that nobody wrote.
#include "defect.h"
#include <cstdlib>
#include <cstring>

namespace {

__attribute__((noinline)) int is_set(const int *place) {
    if (*place > 3) return 1;
    return 2;
}
void decide_on_heap(int number) { sink = is_set((int *)malloc(number * 4)); }

void decide_on_stack(int number) {
    int room[4];
    int *volatile place = room;
    if (place[number - 3] > 3) sink = 1;
}
void compare_unwritten(int number) {
    auto *block = (char *)malloc(number * 4);
    sink = memcmp(block, "abcdefgh", number * 2);
}
void measure_unwritten(int number) { sink = strlen((char *)malloc(number * 4)); }

struct Table {
    int *cells;
    __attribute__((noinline)) int count(int size) const {
        int positive = 0;
        for (int i = 0; i < size; i++)
            if (cells[i] > 0) positive++;
        return positive;
    }
};
void count_in_method(int number) { sink = Table{new int[number]}.count(number); }

template <typename T>
__attribute__((noinline)) T largest(const T *items, int size) {
    T most = items[0];
    for (int i = 1; i < size; i++)
        if (items[i] > most) most = items[i];
    return most;
}
void largest_in_template(int number) { sink = largest(new long[number], number); }

void lambda_decides(int number) {
    auto *items = new char[number];
    auto test = [items](int at) __attribute__((noinline)) { return items[at] ? 1 : 2; };
    sink = test(number - 1);
}

} // namespace

static const struct defect DEFECTS[] = {
    {"decide-on-heap", decide_on_heap},
    {"decide-on-stack", decide_on_stack},
    {"compare-unwritten", compare_unwritten},
    {"measure-unwritten", measure_unwritten},
    {"count-in-method", count_in_method},
    {"largest-in-template", largest_in_template},
    {"lambda-decides", lambda_decides},
};
#include "main.h"
