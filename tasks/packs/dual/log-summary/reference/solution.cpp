#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Record {
    int hour = 0;
    int status = 0;
    std::string path;
    long long size = 0;
};

struct Summary {
    long long records = 0;
    long long malformed = 0;
    long long bytes = 0;
    std::array<long long, 24> hours{};
    std::array<long long, 6> classes{};
    std::map<std::string, long long> paths;
};

// Whether the text has the form: '0' stands for a digit, all else for itself.
bool has_form(const std::string& text, const std::string& form) {
    if (text.size() != form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != form[i]) return false;
    }
    return true;
}

bool all_between(const std::string& text, char low, char high) {
    return std::all_of(text.begin(), text.end(), [&](char c) { return c >= low && c <= high; });
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields(1);
    for (char c : line) {
        if (c == ' ')
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

bool parse(const std::string& line, Record& record) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != 6) return false;
    const std::string &time = fields[1], &method = fields[2], &path = fields[3], &status = fields[4],
                      &size = fields[5];
    if (!has_form(fields[0], "0000-00-00") || !has_form(time, "00:00") || !has_form(status, "000")) return false;
    if (method.empty() || method.size() > 10 || !all_between(method, 'A', 'Z')) return false;
    if (size.empty() || size.size() > 12 || !all_between(size, '0', '9')) return false;
    if (path.empty() || path[0] != '/') return false;
    record.hour = std::stoi(time.substr(0, 2));
    record.status = std::stoi(status);
    record.path = path;
    record.size = std::stoll(size);
    return record.hour < 24 && time[3] < '6' && record.status >= 100 && record.status < 600;
}

std::string shown(const std::string& path) {
    std::string out;
    for (unsigned char byte : path) {
        char text[5];
        if (byte == '\\') {
            out += "\\\\";
        } else if (byte >= 0x21 && byte <= 0x7e) {
            out += static_cast<char>(byte);
        } else {
            std::snprintf(text, sizeof text, "\\x%02x", byte);
            out += text;
        }
    }
    return out;
}

void print(const Summary& summary) {
    std::cout << "records " << summary.records << "\nmalformed " << summary.malformed << "\nbytes " << summary.bytes
              << '\n';
    for (std::size_t hour = 0; hour < summary.hours.size(); ++hour)
        if (summary.hours[hour])
            std::cout << "hour " << (hour < 10 ? "0" : "") << hour << ": " << summary.hours[hour] << '\n';
    for (std::size_t first = 1; first < summary.classes.size(); ++first)
        if (summary.classes[first]) std::cout << "status " << first << "xx: " << summary.classes[first] << '\n';
    std::vector<std::pair<std::string, long long>> ranked(summary.paths.begin(), summary.paths.end());
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (std::size_t i = 0; i < ranked.size() && i < 3; ++i)
        std::cout << "top " << ranked[i].second << ' ' << shown(ranked[i].first) << '\n';
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    Summary summary;
    std::string line;
    while (std::getline(std::cin, line)) {
        Record record;
        if (!parse(line, record)) {
            ++summary.malformed;
            continue;
        }
        ++summary.records;
        ++summary.hours[record.hour];
        ++summary.classes[record.status / 100];
        ++summary.paths[record.path];
        summary.bytes += record.size;
    }
    print(summary);
    return 0;
}
