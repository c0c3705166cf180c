#include <iostream>
#include <optional>
#include <string>

namespace {

const long long MOST = 1'000'000'000'000;
const long long MILLION = 1'000'000;

class Amount {
  public:
    explicit Amount(const std::string& text) : text_(text) {}

    // The amount in grams, if it is one.
    std::optional<long long> grams() {
        std::optional<long long> first = number();
        if (!first) return std::nullopt;
        long long times = 1000;
        if (take("x")) {
            times = *first;
            first = number();
            if (!first) return std::nullopt;
        }
        const long long unit = take("kg") ? 1000 : take("g") ? 1 : take("t") ? MILLION : 0;
        spaces();
        if (unit == 0 || at_ != text_.size()) return std::nullopt;
        return whole(times, *first, unit);
    }

  private:
    const std::string& text_;
    std::size_t at_ = 0;

    void spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }

    bool take(const std::string& part) {
        spaces();
        if (text_.compare(at_, part.size(), part) != 0) return false;
        at_ += part.size();
        return true;
    }

    std::string digits() {
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return text_.substr(start, at_ - start);
    }

    // A number in thousandths.
    std::optional<long long> number() {
        spaces();
        const std::string before = digits();
        if (before.empty() || before.size() > 9) return std::nullopt;
        std::string after;
        if (at_ < text_.size() && text_[at_] == '.') {
            ++at_;
            after = digits();
            if (after.empty() || after.size() > 3) return std::nullopt;
        }
        return std::stoll(before + after + std::string(3 - after.size(), '0'));
    }

    static std::optional<long long> whole(long long times, long long number, long long unit) {
        long long millionths = 0;
        if (__builtin_mul_overflow(times, number, &millionths)) return std::nullopt;
        if (__builtin_mul_overflow(millionths, unit, &millionths)) return std::nullopt;
        if (millionths % MILLION != 0 ) return std::nullopt;
        return static_cast<int>(millionths / MILLION);
    }
};

}  // namespace

int main(int argc, char** argv) {
    const std::string text = argc == 2 ? argv[1] : "";
    const std::optional<long long> found = Amount(text).grams();
    if (!found) {
        std::cerr << "quantity-parser: not an amount\n";
        return 2;
    }
    std::cout << *found << '\n';
    return 0;
}
