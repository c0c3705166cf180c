// What ThreadSanitizer reports.
#include "defect.h"
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace {

int shared_total;
void *bump_total(void *) {
    shared_total++;
    return nullptr;
}
void race_on_global(int) {
    pthread_t other;
    pthread_create(&other, nullptr, bump_total, nullptr);
    bump_total(nullptr);
    pthread_join(other, nullptr);
}

struct Counter {
    long value = 0;
    __attribute__((noinline)) void step() { value++; }
};
void race_in_method(int) {
    Counter counter;
    std::thread other(&Counter::step, &counter);
    counter.step();
    other.join();
    sink = counter.value;
}

void race_in_lambda(int number) {
    short cells[8] = {};
    auto work = [&cells, number]() __attribute__((noinline)) { cells[number] += 1; };
    std::thread other(work);
    work();
    other.join();
    sink = cells[4];
}

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void lock_both(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}
void lock_in_either_order(int) {
    lock_both(&left, &right);
    lock_both(&right, &left);
}

void unlock_unlocked(int number) {
    pthread_mutex_t free_one = PTHREAD_MUTEX_INITIALIZER;
    if (number == 4) pthread_mutex_unlock(&free_one);
}

void leave_thread(int) {
    pthread_t other;
    pthread_create(&other, nullptr, [](void *) -> void * { return nullptr; }, nullptr);
    sink = 1;
}

} // namespace

static const struct defect DEFECTS[] = {
    {"race-on-global", race_on_global},
    {"race-in-method", race_in_method},
    {"race-in-lambda", race_in_lambda},
    {"lock-in-either-order", lock_in_either_order},
    {"unlock-unlocked", unlock_unlocked},
    {"leave-thread", leave_thread},
};
#include "main.h"
