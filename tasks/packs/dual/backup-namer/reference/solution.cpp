// Numbered copies of the secretary's letters: documents/<name> -> backups/<name>.<label>.bak

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;

static const fs::path DOCUMENTS = "documents";
static const std::string BACKUPS = "backups";

static bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

static bool is_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

static bool is_label(const std::string& label) {
  return !label.empty() && label.size() <= 20 &&
         label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

static void write_all(int descriptor, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t written = write(descriptor, content.data() + done, content.size() - done);
    if (written < 0) throw std::runtime_error("the backup cannot be written");
    done += static_cast<std::size_t>(written);
  }
}

std::optional<std::string> make_backup(const std::string& name, const std::string& label) {
  if (!is_name(name) || !is_file(DOCUMENTS / name) || !is_label(label)) return std::nullopt;
  mkdir(BACKUPS.c_str(), 0700);
  std::ifstream document(DOCUMENTS / name, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(document), {});
  for (int number = 1;; ++number) {
    const std::string ending = number > 1 ? "." + std::to_string(number) + ".bak" : ".bak";
    const std::string path = BACKUPS + "/" + name + "." + label + ending;
    const int copy = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (copy >= 0) {
      write_all(copy, content);
      close(copy);
      return path;
    }
    if (errno != EEXIST) throw std::runtime_error("the backup cannot be made");
  }
}

std::vector<std::string> list_backups(const std::string& name) {
  static const std::regex ending("\\.[a-z0-9-]{1,20}(\\.[0-9]+)?\\.bak");
  std::vector<std::string> paths;
  std::error_code error;
  if (!is_name(name)) return paths;
  for (const auto& entry : fs::directory_iterator(BACKUPS, error)) {
    const std::string file = entry.path().filename().string();
    if (file.compare(0, name.size(), name) == 0 &&
        std::regex_match(file.substr(name.size()), ending) && is_file(entry.path())) {
      paths.push_back(BACKUPS + "/" + file);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}
