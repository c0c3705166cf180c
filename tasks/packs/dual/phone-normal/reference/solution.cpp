#include <iostream>
#include <string>

namespace {

const std::size_t LONGEST = 40;
const std::string INVALID = "invalid";

bool digit(char c) { return c >= '0' && c <= '9'; }

// The digits of groups with one separator between each two, or "".
std::string digits_of(const std::string& groups) {
    std::string digits;
    bool after_digit = false;
    for (char c : groups) {
        if (digit(c))
            digits += c;
        else if (!after_digit || (c != ' ' && c != '-' && c != '.'))
            return "";
        after_digit = digit(c);
    }
    return after_digit ? digits : "";
}

std::string normal(const std::string& line, const std::string& country) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos) return INVALID;
    const std::string text = line.substr(first, line.find_last_not_of(' ') - first + 1);
    if (text.size() > LONGEST || (text[0] != '+' && text[0] != '0')) return INVALID;
    const bool national = text[0] == '0' && text.compare(0, 2, "00") != 0;
    const std::size_t mark = text[0] == '0' && !national ? 2 : 1;
    std::string digits = digits_of(text.substr(mark));
    if (digits.empty()) return INVALID;
    if (national) digits = country + digits;
    if (digits.size() < 8 || digits.size() > 15 || digits[0] == '0') return INVALID;
    return "+" + digits;
}

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    const std::string country = argc > 1 ? argv[1] : "";
    std::string line;
    while (std::getline(std::cin, line)) std::cout << normal(line, country) << '\n';
    return 0;
}
