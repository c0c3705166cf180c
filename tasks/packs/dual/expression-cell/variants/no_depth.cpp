#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace {

struct NoFormula {};

const int DEEPEST = 100;

double finite(double value) {
    if (!std::isfinite(value)) throw NoFormula();
    return value;
}

bool digit(char c) { return c >= '0' && c <= '9'; }
bool capital(char c) { return c >= 'A' && c <= 'Z'; }

class Reader {
  public:
    Reader(const std::string& text, const std::map<std::string, double>& cells) : text_(text), cells_(cells) {}

    double whole() {
        const double value = sum();
        skip_spaces();
        if (at_ != text_.size()) throw NoFormula();
        return value;
    }

  private:
    const std::string& text_;
    const std::map<std::string, double>& cells_;
    std::size_t at_ = 0;
    int depth_ = 0;

    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_spaces() {
        while (here() == ' ') ++at_;
    }

    bool take(char sign) {
        skip_spaces();
        if (here() != sign) return false;
        ++at_;
        return true;
    }

    std::size_t digits() {
        const std::size_t start = at_;
        while (digit(here())) ++at_;
        return at_ - start;
    }

    double sum() {
        double value = product();
        for (;;) {
            if (take('+'))
                value = finite(value + product());
            else if (take('-'))
                value = finite(value - product());
            else
                return value;
        }
    }

    double product() {
        double value = negated();
        for (;;) {
            if (take('*'))
                value = finite(value * negated());
            else if (take('/'))
                value = finite(value / negated());
            else
                return value;
        }
    }

    double negated() {
        ++depth_;
        const double value = take('-') ? -negated() : power();
        --depth_;
        return value;
    }

    double power() {
        const double value = single();
        return take('^') ? finite(std::pow(value, negated())) : value;
    }

    double single() {
        if (take('(')) {
            const double value = sum();
            if (!take(')')) throw NoFormula();
            return value;
        }
        return capital(here()) ? cell() : number();
    }

    double number() {
        const std::size_t start = at_;
        if (!digits()) throw NoFormula();
        if (here() == '.') {
            ++at_;
            if (!digits()) throw NoFormula();
        }
        return finite(std::strtod(text_.substr(start, at_ - start).c_str(), nullptr));
    }

    double cell() {
        const std::size_t start = at_;
        while (capital(here())) ++at_;
        const std::size_t letters = at_ - start;
        const std::size_t figures = digits();
        const auto found = cells_.find(text_.substr(start, at_ - start));
        if (letters > 2 || figures < 1 || figures > 3 || found == cells_.end()) throw NoFormula();
        return found->second;
    }
};

}  // namespace

std::optional<double> evaluate(const std::string& formula, const std::map<std::string, double>& cells) {
    try {
        return Reader(formula, cells).whole();
    } catch (const NoFormula&) {
        return std::nullopt;
    }
}
