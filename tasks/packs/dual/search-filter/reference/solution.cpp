#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The characters of a UTF-8 text.
std::vector<std::string_view> characters(const std::string& text) {
    std::vector<std::string_view> found;
    for (std::size_t start = 0; start < text.size();) {
        std::size_t end = start + 1;
        while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
        found.emplace_back(text.data() + start, end - start);
        start = end;
    }
    return found;
}

// Greedy matching: only the last star is ever tried again.
bool fits(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& title) {
    std::size_t at = 0, position = 0, star = pattern.size(), retry = 0;
    while (position < title.size()) {
        if (at < pattern.size() && pattern[at] == "*") {
            star = at++;
            retry = position;
        } else if (at < pattern.size() && (pattern[at] == "?" || pattern[at] == title[position])) {
            ++at;
            ++position;
        } else if (star < pattern.size()) {
            position = ++retry;
            at = star + 1;
        } else {
            return false;
        }
    }
    return std::all_of(pattern.begin() + at, pattern.end(), [](std::string_view sign) { return sign == "*"; });
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    std::string pattern, title;
    std::getline(std::cin, pattern);
    const std::vector<std::string_view> signs = characters(pattern);
    while (std::getline(std::cin, title))
        if (fits(signs, characters(title))) std::cout << title << '\n';
    return 0;
}
