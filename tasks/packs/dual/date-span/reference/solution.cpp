#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int length_of(int year, int month) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : lengths[month - 1];
}

bool has_form(const std::string& text) {
    if (text.size() != 10) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (i == 4 || i == 7 ? text[i] != '-' : !digit) return false;
    }
    return true;
}

// The number of the day, counted from 0001-01-01.
long day_of(const std::string& text) {
    if (!has_form(text)) throw std::invalid_argument("a day is written like 2031-05-02");
    const int year = std::stoi(text.substr(0, 4));
    const int month = std::stoi(text.substr(5, 2));
    const int day = std::stoi(text.substr(8, 2));
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > length_of(year, month))
        throw std::invalid_argument("there is no such day");
    const long before = year - 1;
    long days = before * 365 + before / 4 - before / 100 + before / 400 + day;
    for (int earlier = 1; earlier < month; ++earlier) days += length_of(year, earlier);
    return days;
}

std::string filled(const std::string& label, const std::vector<std::pair<std::string, std::string>>& values) {
    std::string out;
    for (std::size_t at = 0; at < label.size();) {
        bool found = false;
        for (const auto& [mark, value] : values) {
            if (label.compare(at, mark.size(), mark) != 0) continue;
            out += value;
            at += mark.size();
            found = true;
            break;
        }
        if (!found) out += label[at++];
    }
    return out;
}

std::string span(const std::vector<std::string>& arguments) {
    if (arguments.size() < 2 || arguments.size() > 3)
        throw std::invalid_argument("usage: date-span START END [LABEL]");
    const long days = day_of(arguments[1]) - day_of(arguments[0]) + 1;
    if (days < 1) throw std::invalid_argument("the end comes before the start");
    const std::string label = arguments.size() == 3 ? arguments[2] : "{days}";
    return filled(label, {{"{days}", std::to_string(days)}, {"{start}", arguments[0]}, {"{end}", arguments[1]}});
}

}  // namespace

int main(int argc, char** argv) {
    try {
        std::cout << span({argv + 1, argv + argc}) << '\n';
    } catch (const std::invalid_argument& error) {
        std::cerr << "date-span: " << error.what() << '\n';
        return 2;
    }
    return 0;
}
