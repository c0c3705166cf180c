// Driver for C++: the candidate and the calls to it, as one program. -DCANDIDATE and -DENTRIES name files.
// The candidate comes first, so that nothing included here hides a header that it forgot.
#define main candidate_main
#include CANDIDATE
#undef main

// The entries once without the driver: a name that is not there ends the build here, soon and plainly.
#define CALLED_FUNCTION(asked, name, ...) static_assert(sizeof(&name) != 0, "")
#define CALLED_METHOD(asked, type, name, ...) static_assert(sizeof(&type::name) != 0, "")
#include ENTRIES
#undef CALLED_FUNCTION
#undef CALLED_METHOD

// Words that programs are known to redefine.
#undef int
#undef long
#undef string
#undef endl
#undef read
#undef min
#undef max

// The driver need not be fast; what it includes compiles a second sooner so.
#pragma GCC optimize("O0")
#include "call_channel.hpp"

int main() {
    ::arena_driver::Driver driver;
    auto& entries = driver.entries;
    auto& found = driver.found;
#include ENTRIES
    return driver.serve();
}
