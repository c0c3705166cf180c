// What UndefinedBehaviorSanitizer reports.
#include "defect.h"
#include <climits>
#include <cstdlib>
#include <cstring>

namespace {

__attribute__((noinline)) int add(int one, int other) { return one + other; }
void add_too_much(int number) { sink = add(INT_MAX, number); }

__attribute__((noinline)) int multiply(int one, int other) { return one * other; }
void multiply_too_much(int number) { sink = multiply(INT_MAX / 2, number); }

void negate_least(int number) {
    volatile int least = INT_MIN + number - 4;
    sink = -least;
}
void shift_too_far(int number) { sink = 1 << (number * 10); }
void divide_by_zero(int number) { sink = number / (number - 4); }

__attribute__((noinline)) int take(const int (&row)[4], int at) { return row[at]; }
void index_too_big(int number) {
    int row[4] = {number};
    sink = take(row, number);
}

struct Record {
    long head;
    int value;
    __attribute__((noinline)) int get() const { return value; }
};
void member_of_null(int number) {
    auto *volatile record = (Record *)(long)(number - 4);
    sink = record->get();
}
void read_misaligned(int number) {
    alignas(8) char room[32] = {};
    auto *volatile place = (int *)(room + number - 3);
    sink = *place;
}

bool flags[2];
void read_bool(int number) {
    memset(flags, number, sizeof flags);
    sink = flags[1];
}
enum Colour { RED, GREEN };
Colour colours[2];
void read_enum(int number) {
    memset((void *)colours, number * 16, sizeof colours);
    sink = colours[1];
}
void reach_unreachable(int number) {
    if (number == 4) __builtin_unreachable();
}
__attribute__((noinline)) int without_return(int number) {
    if (number != 4) return 1;
}
void miss_return(int number) { sink = without_return(number); }
void cast_float(int number) {
    volatile double big = 1e30 * number;
    sink = (int)big;
}
void bound_of_array(int number) {
    volatile int bound = number - 8;
    char room[bound];
    sink = (long)room;
}
void offset_pointer(int number) {
    char *volatile place = (char *)(ULONG_MAX - 8);
    sink = (long)(place + number * 10);
}

struct Base {
    virtual ~Base() = default;
    virtual int kind() { return 1; }
};
struct Derived : Base {
    int extra = 2;
    int kind() override { return extra; }
};
void wrong_type(int number) {
    Base *volatile base = new Base;
    sink = ((Derived *)base)->kind() + number;
}

__attribute__((noinline, nonnull)) int first_byte(const char *text) { return text ? text[0] : 0; }
void null_argument(int number) {
    const char *volatile text = number == 4 ? nullptr : "text";
    sink = first_byte(text);
}
void builtin_zero(int number) { sink = __builtin_ctz(number - 4); }

struct Money {
    int units;
    __attribute__((noinline)) Money operator-(const Money &right) const { return {units - right.units}; }
};
void subtract_in_operator(int number) { sink = (Money{INT_MIN} - Money{number}).units; }

template <typename T>
struct Meter {
    T value;
    __attribute__((noinline)) void step(T by) { value += by; }
};
void add_in_template(int number) {
    Meter<int> meter{INT_MAX};
    meter.step(number);
    sink = meter.value;
}
void add_in_lambda(int number) {
    auto grow = [](int by) __attribute__((noinline)) { return INT_MAX + by; };
    sink = grow(number);
}

} // namespace

static const struct defect DEFECTS[] = {
    {"add-too-much", add_too_much},
    {"multiply-too-much", multiply_too_much},
    {"negate-least", negate_least},
    {"shift-too-far", shift_too_far},
    {"divide-by-zero", divide_by_zero},
    {"index-too-big", index_too_big},
    {"member-of-null", member_of_null},
    {"read-misaligned", read_misaligned},
    {"read-bool", read_bool},
    {"read-enum", read_enum},
    {"reach-unreachable", reach_unreachable},
    {"miss-return", miss_return},
    {"cast-float", cast_float},
    {"bound-of-array", bound_of_array},
    {"offset-pointer", offset_pointer},
    {"wrong-type", wrong_type},
    {"null-argument", null_argument},
    {"builtin-zero", builtin_zero},
    {"subtract-in-operator", subtract_in_operator},
    {"add-in-template", add_in_template},
    {"add-in-lambda", add_in_lambda},
};
#include "main.h"
