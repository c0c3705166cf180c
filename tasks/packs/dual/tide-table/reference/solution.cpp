#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Malformed {};

struct Reading {
    bool there = false;
    std::string time;
    long height = 0;
};

const long MOST_SLOTS = 96;
const long HIGHEST = 2000;

bool digit(char c) { return c >= '0' && c <= '9'; }

// A number between two bounds, of at most four digits.
long number(const std::string& text, long low, long high) {
    const std::size_t start = !text.empty() && text[0] == '-' ? 1 : 0;
    const std::string digits = text.substr(start);
    if (digits.empty() || digits.size() > 4 || !std::all_of(digits.begin(), digits.end(), digit)) throw Malformed();
    if (digits[0] == '0' && text != "0") throw Malformed();
    const long value = std::stol(text);
    if (value < low || value > high) throw Malformed();
    return value;
}

bool is_time(const std::string& text) {
    if (text.size() != 5 || text[2] != ':') return false;
    if (!digit(text[0]) || !digit(text[1]) || !digit(text[3]) || !digit(text[4])) return false;
    return text.substr(0, 2) <= "23" && text[3] <= '5';
}

std::string after(const std::string& prefix, const std::string& line) {
    if (line.compare(0, prefix.size(), prefix) != 0) throw Malformed();
    return line.substr(prefix.size());
}

std::string name_of(const std::string& line) {
    const std::string name = after("station ", line);
    const bool printable = std::all_of(name.begin(), name.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
    if (name.empty() || name.size() > 80 || !printable || name.front() == ' ' || name.back() == ' ') throw Malformed();
    return name;
}

void read(const std::string& line, std::vector<Reading>& readings) {
    const std::size_t first = line.find(' ');
    if (first == std::string::npos) throw Malformed();
    const std::size_t second = line.find(' ', first + 1);
    if (second == std::string::npos) throw Malformed();
    const long slot = number(line.substr(0, first), 0, static_cast<long>(readings.size()) - 1);
    const std::string time = line.substr(first + 1, second - first - 1);
    const long height = number(line.substr(second + 1), -HIGHEST, HIGHEST);
    Reading& reading = readings[slot];
    if (!is_time(time) || reading.there) throw Malformed();
    reading = {true, time, height};
}

std::string metres(long cm) {
    const long size = std::labs(cm);
    std::string rest = std::to_string(size % 100);
    if (rest.size() < 2) rest = "0" + rest;
    return (cm < 0 ? "-" : "") + std::to_string(size / 100) + "." + rest;
}

std::string table(const std::string& name, const std::vector<Reading>& readings) {
    std::ostringstream out;
    out << name << '\n';
    long total = 0;
    long count = 0;
    for (std::size_t slot = 0; slot < readings.size(); ++slot) {
        const Reading& reading = readings[slot];
        out << slot << ' ' << (reading.there ? reading.time + " " + metres(reading.height) : "- -") << '\n';
        total += reading.height;
        count += reading.there;
    }
    out << "mean " << (count ? metres(total / count) : "-") << '\n';
    return out.str();
}

std::string convert(std::istream& in) {
    std::string line;
    if (!std::getline(in, line)) throw Malformed();
    const std::string name = name_of(line);
    if (!std::getline(in, line)) throw Malformed();
    std::vector<Reading> readings(number(after("slots ", line), 1, MOST_SLOTS));
    while (std::getline(in, line)) read(line, readings);
    return table(name, readings);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 1;
    std::ifstream in(argv[1], std::ios::binary);
    std::string made;
    try {
        made = convert(in);
    } catch (const Malformed&) {
        return 1;
    }
    std::ofstream(argv[2], std::ios::binary) << made;
    return 0;
}
