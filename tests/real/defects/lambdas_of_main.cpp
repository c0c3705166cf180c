// Two lambdas that main itself calls: gcc names both `operator()` where there are line numbers.
#include "defect.h"
#include <cstdlib>
#include <cstring>

int main(int count, char **words) {
    auto *items = new int[count + 2]();
    auto first = [items](int at) __attribute__((noinline)) { return items[at]; };
    auto second = [items](int at) __attribute__((noinline)) {
        int sum = 0;
        for (int i = 0; i < at; i++) sum += items[i + 1];
        return sum;
    };
    if (strcmp(words[1], "first-of-main") == 0) sink = first(count + 2);
    if (strcmp(words[1], "second-of-main") == 0) sink = second(count + 2);
    return 0;
}
