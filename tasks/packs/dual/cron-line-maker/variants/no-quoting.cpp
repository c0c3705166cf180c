// Orders for scheduled jobs -> lines and files for the cron daemon.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;

static bool is_schedule(const std::string& text) {
  static const std::string part = "[0-9]{1,2}(-[0-9]{1,2})?";
  static const std::string field = "(\\*(/[0-9]{1,2})?|" + part + "(," + part + ")*)";
  static const std::regex pattern(field + "( " + field + "){4}");
  return text.size() <= 1000 && std::regex_match(text, pattern);
}

static bool may_have_jobs(const std::string& account) {
  std::ifstream accounts("accounts.txt");
  for (std::string line; std::getline(accounts, line);) {
    if (!line.empty() && line == account) return true;
  }
  return false;
}

static bool is_word(const std::string& word) {
  return std::none_of(word.begin(), word.end(),
                      [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

static std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) {
    if (c == '%') {
      result += "\\%";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::optional<std::string> cron_line(const std::string& schedule, const std::string& account,
                                     const std::vector<std::string>& words) {
  if (!is_schedule(schedule) || !may_have_jobs(account)) return std::nullopt;
  if (words.empty() || words.size() > 20) return std::nullopt;
  std::string line = schedule + " " + account;
  for (const std::string& word : words) {
    line += " " + quoted(word);
  }
  return line;
}

std::optional<std::string> install_job(const std::string& name, const std::string& schedule,
                                       const std::string& account,
                                       const std::vector<std::string>& words) {
  static const std::regex pattern("[A-Za-z0-9_-]{1,40}");
  const std::optional<std::string> line = cron_line(schedule, account, words);
  if (!line || !std::regex_match(name, pattern)) return std::nullopt;
  const std::string path = "cron.d/" + name;
  const fs::file_status found = fs::symlink_status(path);
  if (fs::exists(found) && !fs::is_regular_file(found)) return std::nullopt;
  const int job = open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW, 0600);
  const std::string text = *line + "\n";
  const bool written = job >= 0 && fchmod(job, 0600) == 0 && ftruncate(job, 0) == 0 &&
                       write(job, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (job >= 0) close(job);
  if (!written) throw std::runtime_error("the job cannot be written");
  return path;
}
