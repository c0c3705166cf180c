// log-tail SERVICE COUNT [FILTER]: the last lines of a service's log.

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

static bool only(const std::string& text, const char* allowed) {
  return text.find_first_not_of(allowed) == std::string::npos;
}

static fs::path log_path(const std::string& service) {
  const bool named = !service.empty() && service.size() <= 40 && service[0] >= 'a' &&
                     service[0] <= 'z' && only(service, "abcdefghijklmnopqrstuvwxyz0123456789-");
  const fs::path path = fs::path("logs") / (named ? service + ".log" : "");
  std::error_code error;
  if (!named || !fs::is_regular_file(fs::symlink_status(path, error))) {
    throw Refused("error: no such log");
  }
  return path;
}

static std::size_t line_count(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 6 && only(text, "0123456789");
  const int count = digits ? std::atoi(text.c_str()) : 0;
  if (count < 1 || count > 1000) throw Refused("error: bad count");
  return static_cast<std::size_t>(count);
}

static void show(std::string line) {
  for (char& c : line) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\t') || code == 0x7f) c = '?';
  }
  std::cout << line << '\n';
}

int main(int argc, char** argv) try {
  if (argc != 3 && argc != 4) throw Refused("usage: log-tail SERVICE COUNT [FILTER]");
  std::ifstream log(log_path(argv[1]), std::ios::binary);
  const std::size_t count = line_count(argv[2]);
  const std::string wanted = argc == 4 ? argv[3] : "";
  std::deque<std::string> kept;
  for (std::string line; std::getline(log, line);) {
    if (line.find(wanted) == std::string::npos) continue;
    kept.push_back(line);
    if (kept.size() > count) kept.pop_front();
  }
  for (const std::string& line : kept) show(line);
  return 0;
} catch (const Refused& refused) {
  std::cerr << refused.what() << '\n';
  return 2;
}
