#include "base/os/programs.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace epwise::os {

namespace {

constexpr std::chrono::seconds kLongest{30};

/// Where a child's standard streams go.
class Actions {
 public:
  explicit Actions(int out) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
  }

  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Everything up to the end; false when it takes too long.
bool drain(int from, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + kLongest;
  std::array<char, 65536> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd waited{from, POLLIN, 0};
    const int ready = left.count() > 0 ? poll(&waited, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      return false;
    }
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count == 0) {
      return true;
    }
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return false;
    }
  }
}

}  // namespace

std::optional<std::string> ProcessPrograms::output(const std::vector<std::string>& words) const {
  std::array<int, 2> ends{};
  if (words.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::nullopt;
  }
  std::vector<std::string> kept = words;
  std::vector<char*> arguments;
  for (std::string& word : kept) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const Actions actions(ends[1]);
  const int started =
      posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  close(ends[1]);
  std::string text;
  const bool whole = started == 0 && drain(ends[0], text);
  close(ends[0]);
  if (started != 0) {
    return std::nullopt;
  }
  if (!whole) {
    kill(child, SIGKILL);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool fine = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return fine ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace epwise::os
