// Asks tools/probe whether a relay station answers.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <regex>
#include <stdexcept>
#include <string>

extern char** environ;

static bool is_host(const std::string& host) {
  static const std::string label = "[^. ]{0,62}[^. -]";
  static const std::regex pattern(label + "(\\." + label + ")*");
  return host.size() <= 253 && std::regex_match(host, pattern);
}

static std::string output_of(const char* const* arguments) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr,
                                 const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char buffer[256];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    output.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (failed != 0) throw std::runtime_error("tools/probe does not start");
  waitpid(child, nullptr, 0);
  return output;
}

std::optional<int> answers(const std::string& host, int count) {
  if (!is_host(host) || count < 1 || count > 5) return std::nullopt;
  const std::string times = std::to_string(count);
  const std::string command = "tools/probe -c " + times + " " + host;
  const char* const arguments[] = {"/bin/sh", "-c", command.c_str(), nullptr};
  const std::string output = output_of(arguments);
  std::smatch found;
  if (!std::regex_search(output, found, std::regex("received=([0-9]+)"))) {
    throw std::runtime_error("tools/probe answered something else");
  }
  return std::stoi(found[1]);
}
