// Lambdas: called at once, called back, kept, generic. Those of main itself are in lambdas_of_main.cpp.
#include "defect.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

void called_at_once(int number) {
    auto *items = new int[number]();
    auto read = [items](int at) __attribute__((noinline)) { return items[at]; };
    sink = read(number);
}
void called_at_once_too(int number) {
    auto *items = new int[number]();
    auto read = [=](int at) __attribute__((noinline)) { return items[at + 1]; };
    sink = read(number);
}

void compare_in_qsort(int number) {
    auto *rows = (int *)calloc(number, sizeof(int));
    qsort(rows, number, sizeof *rows, [](const void *one, const void *other) {
        return ((const int *)one)[0] - ((const int *)other)[700];
    });
    sink = rows[0];
}
void look_in_bsearch(int number) {
    auto *rows = (int *)calloc(number, sizeof(int));
    sink = bsearch(&number, rows, number, sizeof *rows, [](const void *key, const void *row) {
        return *(const int *)key - ((const int *)row)[900];
    }) != nullptr;
}

void sort_with_lambda(int number) {
    std::vector<int> rows(number, 1);
    std::sort(rows.begin(), rows.end(), [&rows](int one, int other) __attribute__((noinline)) {
        return one + rows[other + 50] < 0;
    });
    sink = rows[0];
}

__attribute__((noinline)) int apply(const std::function<int(int)> &function, int number) { return function(number); }
void kept_in_function(int number) {
    auto *items = new char[number]();
    sink = apply([items](int at) { return items[at]; }, number);
}

template <typename Function>
__attribute__((noinline)) int visit_all(Function function, int number) {
    return function(number);
}
void passed_to_template(int number) {
    auto *items = new long[number]();
    sink = visit_all([items](int at) __attribute__((noinline)) { return (int)items[at]; }, number);
}
void generic_lambda(int number) {
    auto *items = new short[number]();
    auto read = [items](auto at) __attribute__((noinline)) { return items[at]; };
    sink = read((long)number);
}

struct Holder {
    int *items;
    __attribute__((noinline)) int total(int number) {
        auto add = [this](int at) __attribute__((noinline)) { return items[at]; };
        return add(number);
    }
};
void lambda_of_method(int number) { sink = Holder{new int[number]()}.total(number); }

struct Reader {
    int *items;
    __attribute__((noinline)) int operator()(int at) const { return items[at]; }
};
void function_object(int number) { sink = Reader{new int[number]()}(number); }

void lambda_writes(int number) {
    char room[4] = {};
    auto write = [&room](int at) __attribute__((noinline)) { room[at] = 1; };
    write(number);
    sink = room[0];
}

void lambda_frees_twice(int number) {
    auto *block = (char *)malloc(number);
    auto drop = [block]() __attribute__((noinline)) { free(block); };
    drop();
    drop();
}

} // namespace

static const struct defect DEFECTS[] = {
    {"called-at-once", called_at_once},
    {"called-at-once-too", called_at_once_too},
    {"compare-in-qsort", compare_in_qsort},
    {"look-in-bsearch", look_in_bsearch},
    {"sort-with-lambda", sort_with_lambda},
    {"kept-in-function", kept_in_function},
    {"passed-to-template", passed_to_template},
    {"generic-lambda", generic_lambda},
    {"lambda-of-method", lambda_of_method},
    {"function-object", function_object},
    {"lambda-writes", lambda_writes},
    {"lambda-frees-twice", lambda_frees_twice},
};
#include "main.h"
