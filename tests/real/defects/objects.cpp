// Classes, templates, operators and the standard library.
#include "defect.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <typename T>
class Shelf {
public:
    explicit Shelf(int size) : items_(new T[size]()), size_(size) {}
    ~Shelf() { delete[] items_; }
    __attribute__((noinline)) void put(int at, T item) { items_[at] = item; }
    __attribute__((noinline)) T &operator[](int at) { return items_[at]; }
    __attribute__((noinline)) T operator()(int at) const { return items_[at]; }
    explicit __attribute__((noinline)) operator long() const { return (long)items_[size_]; }

private:
    T *items_;
    int size_;
};

void put_in_template(int number) { Shelf<int>(number).put(number, 1); }
void index_operator(int number) { sink = (Shelf<short>(number)[number] += 1); }
void call_operator(int number) { sink = Shelf<long>(number)(number); }
void conversion_operator(int number) { sink = (long)Shelf<char>(number); }

struct Point {
    int *parts;
    __attribute__((noinline)) Point operator+(const Point &right) const {
        Point sum{new int[2]()};
        sum.parts[0] = parts[0] + right.parts[4];
        return sum;
    }
    __attribute__((noinline)) bool operator<(const Point &right) const { return parts[3] < right.parts[0]; }
};
void plus_operator(int number) {
    Point left{new int[2]{number}}, right{new int[4]()};
    sink = (left + right).parts[0];
}
void less_operator(int number) {
    Point left{new int[3]{number}}, right{new int[4]()};
    sink = left < right;
}

template <int Size, typename T>
__attribute__((noinline)) T sum_of(const T *items) {
    T sum = 0;
    for (int i = 0; i <= Size; i++) sum += items[i];
    return sum;
}
void sum_in_template(int number) { sink = sum_of<4>(new int[number]()); }

class Built {
public:
    __attribute__((noinline)) explicit Built(int number) : room_(new char[number]) { room_[number] = 1; }
    char *room_;
};
void constructor(int number) { sink = (long)Built(number).room_; }

class Closed {
public:
    explicit Closed(char *room) : room_(room) {}
    __attribute__((noinline)) ~Closed() { sink = room_[1]; }
    char *room_;
};
void destructor(int number) {
    auto *room = new char[number]();
    Closed closed(room);
    delete[] room;
}

struct Shape {
    virtual ~Shape() = default;
    virtual int area(const int *sides) const = 0;
};
struct Square : Shape {
    int area(const int *sides) const override { return sides[0] * sides[8]; }
};
struct Ring : Shape {
    int area(const int *sides) const override { return sides[6] * 3; }
};
__attribute__((noinline)) int area_of(const Shape *shape, int number) { return shape->area(new int[number]()); }
void virtual_square(int number) { sink = std::make_unique<Square>()->area(new int[number]()); }
void virtual_ring(int number) {
    Shape *volatile shape = new Ring;
    sink = area_of(shape, number);
}

struct Early {
    Early() { call_early(); }
    virtual ~Early() = default;
    __attribute__((noinline)) void call_early() { step(); }
    virtual void step() = 0;
};
struct Late : Early {
    void step() override { sink = 1; }
};
void pure_virtual(int) { Late late; }

void use_deleted_object(int number) {
    auto *square = new Square;
    Shape *volatile kept = square;
    delete square;
    sink = kept->area(new int[number * 3]());
}

void mixed_delete(int number) {
    char *volatile block = new char[number];
    free(block);
}
void delete_array_as_one(int number) {
    int *volatile block = new int[number];
    delete block;
}

struct Wide {
    long parts[8];
};
void delete_as_narrow(int number) {
    auto *wide = new Wide{{number}};
    operator delete(wide, sizeof(Wide) - 8);
}

void vector_index(int number) {
    std::vector<int> items(number);
    sink = items[number + 1];
}
void vector_grown(int number) {
    std::vector<int> items(number, 1);
    const int &first = items.front();
    items.insert(items.end(), 100, number);
    sink = first;
}
void string_view_left(int number) {
    const char *volatile left;
    {
        std::string text(number * 20, 'x');
        left = text.c_str();
    }
    sink = left[1];
}
void map_node(int number) {
    std::map<int, int> places{{number, 1}};
    auto found = places.find(number);
    places.erase(found);
    sink = found->second;
}
void unique_after_reset(int number) {
    auto owner = std::make_unique<int>(number);
    int *volatile raw = owner.get();
    owner.reset();
    sink = *raw;
}
void copy_to_small(int number) {
    std::vector<int> items(number * 4, 1);
    auto *small = new int[number];
    std::copy(items.begin(), items.end(), small);
    sink = small[0];
}

void thrown_out(int number) {
    if (number == 4) throw std::runtime_error("nobody catches");
}
void at_refuses(int number) { sink = std::vector<int>(number).at(number); }

namespace inner {
struct Parser {
    struct Token {
        char *text;
        __attribute__((noinline)) int last(int count) const { return text[count]; }
    };
    Token token;
};
} // namespace inner
void nested_class(int number) { sink = inner::Parser{{new char[number]()}}.token.last(number); }

__attribute__((noinline)) void leak_object(int number) {
    auto *volatile shelf = new Shelf<int>(number * 100);
    sink = (long)shelf != 0;
    shelf = nullptr;
}

} // namespace

static const struct defect DEFECTS[] = {
    {"put-in-template", put_in_template},
    {"index-operator", index_operator},
    {"call-operator", call_operator},
    {"conversion-operator", conversion_operator},
    {"plus-operator", plus_operator},
    {"less-operator", less_operator},
    {"sum-in-template", sum_in_template},
    {"constructor", constructor},
    {"destructor", destructor},
    {"virtual-square", virtual_square},
    {"virtual-ring", virtual_ring},
    {"pure-virtual", pure_virtual},
    {"use-deleted-object", use_deleted_object},
    {"mixed-delete", mixed_delete},
    {"delete-array-as-one", delete_array_as_one},
    {"delete-as-narrow", delete_as_narrow},
    {"vector-index", vector_index},
    {"vector-grown", vector_grown},
    {"string-left", string_view_left},
    {"map-node", map_node},
    {"unique-after-reset", unique_after_reset},
    {"copy-to-small", copy_to_small},
    {"thrown-out", thrown_out},
    {"at-refuses", at_refuses},
    {"nested-class", nested_class},
    {"leak-object", leak_object},
};
#include "main.h"
