#include <algorithm>
#include <string>

std::string return_target(const std::string& next) {
    const auto fits = [](char c) { return c >= 0x21 && c <= 0x7e && c != '\\'; };
    const bool own_path = !next.empty() && next[0] == '/' && next.compare(0, 2, "//") != 0;
    const bool address = next.size() <= 2000 && std::all_of(next.begin(), next.end(), fits);
    return own_path && address ? next : "/";
}
