#include <algorithm>
#include <string>
#include <vector>

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_small(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), lower);
    return text;
}

bool printable(char c) { return c >= 0x21 && c <= 0x7e && c != '\\'; }

bool of_host(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

bool means(const std::string& entry, const std::string& host) {
    if (entry.empty() || entry[0] != '.') return host == entry;
    return host.size() > entry.size() && host.compare(host.size() - entry.size(), entry.size(), entry) == 0;
}

}  // namespace

bool may_fetch(const std::string& url, const std::vector<std::string>& hosts) {
    const std::size_t colon = url.find("://");
    if (colon == std::string::npos || !std::all_of(url.begin(), url.end(), printable)) return false;
    const std::string scheme = in_small(url.substr(0, colon));
    if (scheme != "http" && scheme != "https") return false;
    const std::size_t start = colon + 3;
    const std::size_t end = std::min(url.find_first_of("/?#", start), url.size());
    std::string host = in_small(url.substr(start, end - start));
    const std::string port = scheme == "http" ? ":80" : ":443";
    if (host.size() > port.size() && host.compare(host.size() - port.size(), port.size(), port) == 0)
        host.resize(host.size() - port.size());
    if (host.empty() || !std::all_of(host.begin(), host.end(), of_host)) return false;
    return std::any_of(hosts.begin(), hosts.end(), [&](const std::string& entry) { return means(entry, host); });
}
