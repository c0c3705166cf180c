// env-launcher PROFILE JOB [ARG...]: a merchant's job, with the settings of a profile.

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using Settings = std::map<std::string, std::string>;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

static bool only(const std::string& text, const char* allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string::npos;
}

static std::string program_of(const std::string& job) {
  std::ifstream jobs("jobs.txt");
  for (std::string line; std::getline(jobs, line);) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos && line.substr(0, blank) == job) {
      return "./" + line.substr(blank + 1);
    }
  }
  throw Refused("error: job");
}

static Settings settings_of(const std::string& profile) {
  const bool named = profile.size() <= 30 && only(profile, "abcdefghijklmnopqrstuvwxyz0123456789-");
  const fs::path path = fs::path("profiles") / (profile + ".env");
  std::error_code error;
  if (!named || !fs::is_regular_file(fs::symlink_status(path, error))) {
    throw Refused("error: profile");
  }
  Settings settings;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find('=');
    if (line.compare(0, 4, "APP_") != 0 || end == std::string::npos) continue;
    const bool fits = only(line.substr(4, end - 4), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (fits && line.find('\0') == std::string::npos) {
      settings[line.substr(0, end)] = line.substr(end + 1);
    }
  }
  return settings;
}

static std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

int main(int argc, char** argv) try {
  if (argc < 3) throw Refused("error: arguments");
  std::vector<std::string> arguments{program_of(argv[2]), "--"};
  arguments.insert(arguments.end(), argv + 3, argv + argc);
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  std::string keys;
  for (const auto& [key, value] : settings_of(argv[1])) {
    environment.push_back(key + "=" + value);
    keys += (keys.empty() ? " with " : " ") + key;
  }
  std::cerr << "start " << argv[2] << keys << std::endl;
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  close(nothing);
  execve(arguments[0].c_str(), pointers(arguments).data(), pointers(environment).data());
  throw std::runtime_error("the job does not start");
} catch (const Refused& refused) {
  std::cerr << refused.what() << '\n';
  return 64;
}
