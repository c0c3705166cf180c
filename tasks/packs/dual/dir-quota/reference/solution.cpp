// dir-quota MEMBER LIMIT: how much of a member's quota is used.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

namespace fs = std::filesystem;

static bool is_home(const std::string& member) {
  if (member.empty() || member == "." || member == "..") return false;
  if (member.find('/') != std::string::npos) return false;
  std::error_code error;
  return fs::is_directory(fs::symlink_status(fs::path("homes") / member, error));
}

static bool is_limit(const std::string& text) {
  return !text.empty() && text.size() <= 15 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

static std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (code < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

static int report(const std::string& member, std::uintmax_t limit) {
  const fs::path home = fs::path("homes") / member;
  std::uintmax_t files = 0, bytes = 0, most = 0;
  std::string largest;
  for (const auto& entry : fs::recursive_directory_iterator(home)) {
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    const std::uintmax_t size = entry.file_size();
    const std::string path = entry.path().lexically_relative(home).string();
    if (files == 0 || size > most || (size == most && path < largest)) {
      most = size;
      largest = path;
    }
    ++files;
    bytes += size;
  }
  const bool over = bytes > limit;
  std::cout << "{\"member\": " << json_text(member) << ", \"files\": " << files
            << ", \"bytes\": " << bytes << ", \"limit\": " << limit
            << ", \"over\": " << (over ? "true" : "false")
            << ", \"largest\": " << (files == 0 ? "null" : json_text(largest)) << "}\n";
  return over ? 1 : 0;
}

int main(int argc, char** argv) {
  if (argc != 3 || !is_home(argv[1]) || !is_limit(argv[2])) {
    std::cout << "{\"error\": \"bad request\"}\n";
    return 2;
  }
  return report(argv[1], std::stoull(argv[2]));
}
