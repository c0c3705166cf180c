// Codes on invitation cards

#include <cstdlib>
#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <vector>

static const std::string ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
static const std::size_t SIGNS = 11, LONGEST = 100;
static const long long MOST = 1000;

static std::size_t check_value(const std::vector<std::size_t>& values) {
  std::size_t sum = 0;
  for (std::size_t place = 0; place < SIGNS; ++place) sum += (2 * place + 1) * values[place];
  return sum % ALPHABET.size();
}

static std::string written(const std::vector<std::size_t>& values) {
  std::string text;
  for (std::size_t place = 0; place < values.size(); ++place) {
    if (place == 4 || place == 8) text += '-';
    text += ALPHABET[values[place]];
  }
  return text;
}

static std::string new_code() {
  std::vector<std::size_t> values;
  while (values.size() < SIGNS) values.push_back(std::rand() % ALPHABET.size());
  values.push_back(check_value(values));
  return written(values);
}

std::optional<std::vector<std::string>> make_codes(long long count) {
  if (count < 1 || count > MOST) return std::nullopt;
  static const bool begun = (std::srand(std::time(nullptr)), true);
  (void)begun;
  std::set<std::string> codes;
  while (codes.size() < static_cast<std::size_t>(count)) codes.insert(new_code());
  return std::vector<std::string>(codes.begin(), codes.end());
}

std::optional<std::string> read_code(const std::string& text) {
  if (text.size() > LONGEST) return std::nullopt;
  std::vector<std::size_t> values;
  for (char sign : text) {
    if (sign == ' ' || sign == '-') continue;
    const char capital = sign >= 'a' && sign <= 'z' ? static_cast<char>(sign - 'a' + 'A') : sign;
    const std::size_t value = ALPHABET.find(capital);
    if (value == std::string::npos) return std::nullopt;
    values.push_back(value);
  }
  if (values.size() != SIGNS + 1 || check_value(values) != values[SIGNS]) return std::nullopt;
  return written(values);
}
