#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

const std::size_t MOST_PRICES = 1000;
const long long HIGHEST_PRICE = 1'000'000'000;

std::string normal(const std::string& code) {
    const std::size_t first = code.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    std::string text = code.substr(first, code.find_last_not_of(' ') - first + 1);
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

long long reduced(long long total, const std::string& worth) {
    const std::size_t space = worth.find(' ');
    const long long number = std::stoll(worth.substr(space + 1));
    const long long off = worth.substr(0, space) == "percent" ? total * number / 100 : number;
    return std::max(total - off, 0LL);
}

}  // namespace

std::optional<long long> checkout(const std::vector<long long>& prices, const std::vector<std::string>& codes,
                                  const std::map<std::string, std::string>& coupons) {
    if (prices.size() > MOST_PRICES) return std::nullopt;
    int total = 0;
    for (long long price : prices) {
        if (price < 0 || price > HIGHEST_PRICE) return std::nullopt;
        total += price;
    }
    std::set<std::string> used;
    for (const std::string& typed : codes) {
        const std::string code = normal(typed);
        if (code.empty() || !used.insert(code).second) continue;
        const auto found = coupons.find(code);
        if (found == coupons.end()) return std::nullopt;
        total = reduced(total, found->second);
    }
    return total;
}
