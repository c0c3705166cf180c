// What becomes of the symbolic links of a share when it moves.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using Entry = std::map<std::string, std::string>;

static std::string kind_of(const fs::path& link, const fs::path& root) {
  std::error_code error;
  const fs::path end = fs::canonical(link, error);
  if (error) return "broken";
  const auto differs = std::mismatch(root.begin(), root.end(), end.begin(), end.end());
  return differs.first == root.end() ? "inside" : "outside";
}

static bool is_share(const std::string& share) {
  std::error_code error;
  return fs::is_directory(fs::status(fs::path("shares") / share, error));
}

std::optional<std::vector<Entry>> census(const std::string& share) {
  if (!is_share(share)) return std::nullopt;
  const fs::path folder = fs::path("shares") / share;
  const fs::path root = fs::canonical(folder);
  std::vector<Entry> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_symlink()) continue;
    found.push_back({{"path", entry.path().lexically_relative(folder).string()},
                     {"target", fs::read_symlink(entry.path()).string()},
                     {"kind", kind_of(entry.path(), root)}});
  }
  std::sort(found.begin(), found.end(),
            [](const Entry& a, const Entry& b) { return a.at("path") < b.at("path"); });
  return found;
}
