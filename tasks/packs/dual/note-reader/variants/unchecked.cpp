// Notes of the parish archive: notes/<name>.txt

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace fs = std::filesystem;

static const fs::path FOLDER = "notes";
static const std::string SUFFIX = ".txt";

static bool is_note(const std::string& file_name) {
  if (file_name.size() <= SUFFIX.size()) return false;
  if (file_name.compare(file_name.size() - SUFFIX.size(), SUFFIX.size(), SUFFIX) != 0) return false;
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(FOLDER / file_name, error));
}

std::optional<std::string> read_note(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::ifstream note((FOLDER.string() + "/" + name + SUFFIX).c_str(), std::ios::binary);
  if (!note) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(note), {});
}

std::vector<std::string> list_notes() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(FOLDER, error)) {
    const std::string file_name = entry.path().filename().string();
    if (is_note(file_name)) names.push_back(file_name.substr(0, file_name.size() - SUFFIX.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}
