#include <algorithm>
#include <string>
#include <vector>

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_small(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), lower);
    return text;
}

bool means(const std::string& entry, const std::string& host) {
    if (entry.empty() || entry[0] != '.') return host == entry;
    return host.size() > entry.size() && host.compare(host.size() - entry.size(), entry.size(), entry) == 0;
}

}  // namespace

bool may_fetch(const std::string& url, const std::vector<std::string>& hosts) {
    const std::size_t colon = url.find("://");
    if (colon == std::string::npos) return false;
    const std::string scheme = in_small(url.substr(0, colon));
    if (scheme != "http" && scheme != "https") return false;
    const std::size_t start = colon + 3;
    const std::size_t end = std::min(url.find_first_of("/?#", start), url.size());
    std::string host = in_small(url.substr(start, end - start));
    host = host.substr(0, host.find(':'));
    if (host.empty()) return false;
    return std::any_of(hosts.begin(), hosts.end(), [&](const std::string& entry) { return means(entry, host); });
}
