#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

static std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (char c : text) {
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

static std::string unescape(const std::string& text) {
    static const std::string letters = "tnr\\";
    static const std::string meant = "\t\n\r\\";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        ++i;
        const std::size_t which = i < text.size() ? letters.find(text[i]) : std::string::npos;
        if (which == std::string::npos) throw std::invalid_argument("unknown escape");
        out += meant[which];
    }
    return out;
}

static std::size_t skip_digits(const std::string& text, std::size_t at) {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
}

static bool is_number(const std::string& text) {
    const std::size_t start = !text.empty() && text[0] == '-' ? 1 : 0;
    std::size_t at = skip_digits(text, start);
    if (at == start) return false;
    if (at < text.size() && text[at] == '.') {
        const std::size_t fraction = at + 1;
        at = skip_digits(text, fraction);
        if (at == fraction) return false;
    }
    return at == text.size();
}

// The field, with an apostrophe where a spreadsheet would calculate it.
static std::string as_text(const std::string& field) {
    const std::size_t first = field.find_first_not_of(' ');
    const bool formula =
        first != std::string::npos && std::string("=+-@\t\r\n").find(field[first]) != std::string::npos;
    return formula && !is_number(field) ? "'" + field : field;
}

static std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string out = "\"";
    for (char c : field) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

static std::string convert(std::string text) {
    if (text.empty()) return "";
    if (text.back() == '\n') text.pop_back();
    const std::vector<std::string> lines = split(text, '\n');
    const std::size_t width = split(lines[0], '\t').size();
    std::string out;
    for (const std::string& line : lines) {
        const std::vector<std::string> fields = split(line, '\t');
        if (fields.size() != width) throw std::invalid_argument("wrong number of fields");
        for (std::size_t i = 0; i < width; ++i) {
            if (i) out += ',';
            out += quoted(as_text(unescape(fields[i])));
        }
        out += "\r\n";
    }
    return out;
}

int main(int argc, char** argv) {
    if (argc < 3) return 1;
    std::ifstream in(argv[1], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    try {
        const std::string made = convert(text);
        std::ofstream(argv[2], std::ios::binary) << made;
    } catch (const std::invalid_argument&) {
        return 1;
    }
    return 0;
}
