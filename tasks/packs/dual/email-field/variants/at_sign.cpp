#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool letter_or_digit(char c) { return letter(c) || (c >= '0' && c <= '9'); }
bool of_local(char c) { return c != ' ' && c != '!'; }
bool of_label(char c) { return letter_or_digit(c) || c == '-'; }

template <class Test>
bool all(const std::string& text, Test test) {
    return std::all_of(text.begin(), text.end(), test);
}

bool is_local(const std::string& local) {
    if (local.empty() || local.size() > 64 || !all(local, of_local)) return false;
    return local.front() != '.' && local.back() != '.' && local.find("..") == std::string::npos;
}

bool is_label(const std::string& label) {
    if (label.empty() || label.size() > 63 || !all(label, of_label)) return false;
    return label.front() != '-' && label.back() != '-';
}

bool is_domain(const std::string& domain) {
    std::vector<std::string> labels(1);
    for (char c : domain) {
        if (c == '.')
            labels.emplace_back();
        else
            labels.back() += c;
    }
    const std::string& last = labels.back();
    const bool ends_well = last.size() >= 2 && all(last, letter);
    return labels.size() >= 2 && ends_well && std::all_of(labels.begin(), labels.end(), is_label);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<std::string> normal_email(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return std::nullopt;
    const std::string address = text.substr(first, text.find_last_not_of(' ') - first + 1);
    const std::size_t at = address.rfind('@');
    if (address.size() > 254 || at == std::string::npos) return std::nullopt;
    const std::string local = address.substr(0, at);
    std::string domain = address.substr(at + 1);
    if (!is_local(local) || !is_domain(domain)) return std::nullopt;
    std::transform(domain.begin(), domain.end(), domain.begin(), lower);
    return local + "@" + domain;
}
