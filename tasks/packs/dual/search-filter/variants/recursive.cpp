#include <iostream>
#include <string>

// Whether the pattern from `at` fits the title from `position`.
static bool fits(const std::string& pattern, std::size_t at, const std::string& title, std::size_t position) {
    if (at == pattern.size()) return position == title.size();
    if (pattern[at] == '*') {
        if (fits(pattern, at + 1, title, position)) return true;
        return position < title.size() && fits(pattern, at, title, position + 1) && true;
    }
    if (position == title.size()) return false;
    std::size_t next = position + 1;
    if (pattern[at] == '?') {
        while (next < title.size() && (title[next] & 0xC0) == 0x80) ++next;
    } else if (pattern[at] != title[position]) {
        return false;
    }
    const bool rest = fits(pattern, at + 1, title, next);
    return rest;
}

int main() {
    std::string pattern, title;
    std::getline(std::cin, pattern);
    while (std::getline(std::cin, title))
        if (fits(pattern, 0, title, 0)) std::cout << title << '\n';
    return 0;
}
