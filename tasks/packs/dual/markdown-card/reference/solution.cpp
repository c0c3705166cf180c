#include <sstream>
#include <string>

namespace {

const std::size_t NONE = std::string::npos;

std::string escaped(const std::string& text) {
    std::string out;
    for (char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

bool has_at(const std::string& line, std::size_t at, const std::string& part) {
    return line.compare(at, part.size(), part) == 0;
}

// The HTML of the strong words that begin at `at`, which is moved behind them; "" if there are none.
std::string strong(const std::string& line, std::size_t& at) {
    if (!has_at(line, at, "**")) return "";
    const std::size_t end = line.find('*', at + 2);
    if (end == NONE || end == at + 2 || !has_at(line, end, "**")) return "";
    const std::string words = line.substr(at + 2, end - at - 2);
    at = end + 2;
    return "<strong>" + escaped(words) + "</strong>";
}

// The same for a link.
std::string link(const std::string& line, std::size_t& at) {
    if (line[at] != '[') return "";
    const std::size_t middle = line.find_first_of("[]", at + 1);
    if (middle == NONE || middle == at + 1 || !has_at(line, middle, "](")) return "";
    const std::size_t start = middle + 2;
    if (!has_at(line, start, "http://") && !has_at(line, start, "https://")) return "";
    const std::size_t end = line.find_first_of(" \t[]()", start);
    if (end == NONE || line[end] != ')') return "";
    const std::string words = line.substr(at + 1, middle - at - 1);
    const std::string address = line.substr(start, end - start);
    at = end + 1;
    return "<a href=\"" + escaped(address) + "\">" + escaped(words) + "</a>";
}

std::string paragraph(const std::string& line) {
    std::string html = "<p>";
    for (std::size_t at = 0; at < line.size();) {
        std::string mark = strong(line, at);
        if (mark.empty()) mark = link(line, at);
        html += mark.empty() ? escaped(std::string(1, line[at++])) : mark;
    }
    return html + "</p>";
}

}  // namespace

std::string render_card(const std::string& title, const std::string& text) {
    std::string html = "<article><h2>" + escaped(title) + "</h2>";
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        const std::size_t first = line.find_first_not_of(' ');
        if (first == NONE) continue;
        html += paragraph(line.substr(first, line.find_last_not_of(' ') - first + 1));
    }
    return html + "</article>";
}
