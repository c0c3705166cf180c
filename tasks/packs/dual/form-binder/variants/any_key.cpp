#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace {

using Fields = std::map<std::string, std::string>;
using Reader = std::optional<std::string> (*)(const std::string&);

// Unicode code points of a UTF-8 text.
std::size_t length_of(const std::string& text) {
    return std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
}

bool control(unsigned char c) { return c < 0x20 || c == 0x7f; }

std::optional<std::string> line(const std::string& text, std::size_t least, std::size_t most) {
    if (std::any_of(text.begin(), text.end(), control)) return std::nullopt;
    const std::size_t first = text.find_first_not_of(' ');
    const std::string stripped =
        first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
    const std::size_t length = length_of(stripped);
    if (length < least || length > most) return std::nullopt;
    return stripped;
}

std::optional<std::string> name(const std::string& text) { return line(text, 1, 60); }

std::optional<std::string> city(const std::string& text) { return line(text, 0, 60); }

std::optional<std::string> about(const std::string& text) {
    const auto refused = [](unsigned char c) { return control(c) && c != '\n'; };
    if (length_of(text) > 500 || std::any_of(text.begin(), text.end(), refused)) return std::nullopt;
    return text;
}

std::optional<std::string> news(const std::string& text) {
    if (text != "yes" && text != "no") return std::nullopt;
    return text;
}

const std::map<std::string, Reader> READERS = {{"name", name}, {"city", city}, {"about", about}, {"news", news}};

}  // namespace

std::optional<std::map<std::string, std::string>> update_member(const std::map<std::string, std::string>& member,
                                                                const std::map<std::string, std::string>& form) {
    Fields updated = member;
    for (const auto& [field, read] : READERS) {
        const auto given = form.find(field);
        if (given == form.end()) continue;
        const std::optional<std::string> value = read(given->second);
        if (!value) return std::nullopt;
        updated[field] = *value;
    }
    for (const auto& [field, value] : form)
        if (!READERS.count(field) && member.count(field)) updated[field] = value;
    return updated;
}
