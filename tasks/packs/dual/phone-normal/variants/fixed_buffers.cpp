#include <cctype>
#include <cstdio>
#include <cstring>

static char line[65536];

static const char* normal(const char* country) {
    static char number[64];
    char digits[48] = "";
    size_t count = 0;
    const char* at = line;
    while (*at == ' ') ++at;
    int national = 0;
    if (*at == '+') {
        ++at;
    } else if (at[0] == '0' && at[1] == '0') {
        at += 2;
    } else if (at[0] == '0') {
        ++at;
        national = 1;
    } else {
        return "invalid";
    }
    if (national) {
        std::strcpy(digits, country);
        count = std::strlen(country);
    }
    int after_digit = 0;
    for (; *at; ++at) {
        if (std::isdigit(static_cast<unsigned char>(*at))) {
            digits[count++] = *at;
            after_digit = 1;
        } else if (after_digit && std::strchr(" -.", *at)) {
            after_digit = 0;
        } else {
            return "invalid";
        }
    }
    digits[count] = 0;
    if (!after_digit || count < 8 || count > 15 || digits[0] == '0') return "invalid";
    std::sprintf(number, "+%s", digits);
    return number;
}

int main(int argc, char** argv) {
    if (argc < 2) return 1;
    while (std::fgets(line, sizeof line, stdin)) {
        line[std::strcspn(line, "\n")] = 0;
        size_t end = std::strlen(line);
        while (end && line[end - 1] == ' ') line[--end] = 0;
        std::puts(normal(argv[1]));
    }
    return 0;
}
