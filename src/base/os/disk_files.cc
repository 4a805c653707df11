#include "base/os/disk_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace epwise::os {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view verb, const std::string& path, int error) {
  auto reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  throw MissingError(fmt::format("cannot {} {}: {}", verb, path, reason));
}

/// An open file; closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  int number() const { return number_; }

  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

std::string_view kind_of(mode_t mode) {
  return S_ISFIFO(mode) ? "a named pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

std::string read_all(const Descriptor& file, const std::string& path, std::size_t limit) {
  if (!file.is_open()) {
    fail("read", path, errno);
  }
  std::string content;
  std::array<char, 65536> buffer = {};
  const std::size_t most = limit + 1;
  while (content.size() < most) {
    const auto wanted = std::min(buffer.size(), most - content.size());
    const auto count = ::read(file.number(), buffer.data(), wanted);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail("read", path, errno);
    }
    if (count == 0) {
      break;
    }
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return content;
}

/// Waits for whoever writes to a pipe that was opened without waiting; the first letter if waiting had
/// to read one. A shell's `<(command)` has its writer from the start; a pipe that nobody opens for
/// writing would be waited for for ever.
std::string await_writer(const Descriptor& file, const std::string& path) {
  constexpr int kTries = 20;
  constexpr int kMilliseconds = 100;
  for (int i = 0; i < kTries; ++i) {
    pollfd wanted = {.fd = file.number(), .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, kMilliseconds) > 0) {
      return {};
    }
    char first = 0;
    const auto count = ::read(file.number(), &first, 1);
    if (count != 0) {  // a letter that just came, or "try again": there is a writer
      return std::string(count > 0 ? 1 : 0, first);
    }
  }
  throw MissingError(fmt::format("cannot read {}: nothing writes to this named pipe", path));
}

/// Writes all of it; 0, or the system's error number.
int write_all(const Descriptor& file, std::string_view content) {
  while (!content.empty()) {
    const auto count = ::write(file.number(), content.data(), content.size());
    if (count < 0 && errno != EINTR) {
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return 0;
}

/// Devices, pipes and sockets must not be replaced by a renamed file (/dev/null!).
bool is_passage(const std::string& path) {
  std::error_code ignored;
  return fs::is_other(fs::status(path, ignored));
}

int write_through(const std::string& path, const Parts& parts) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  int failure = file.is_open() ? 0 : errno;
  parts([&](std::string_view part) { failure = failure == 0 ? write_all(file, part) : failure; });
  return failure;
}

// Of the temporary file that is being written: for the handler of a signal.
std::atomic<const char*> unfinished = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

/// 0, or why a file that exists is not replaced. Root may write what nobody may; but a file without
/// any permission to write was meant to stay.
int writable(const fs::path& target) {
  struct stat status = {};
  if (::stat(target.c_str(), &status) != 0) {
    return 0;
  }
  constexpr mode_t kAnybody = S_IWUSR | S_IWGRP | S_IWOTH;
  const bool closed = (status.st_mode & kAnybody) == 0;
  return closed || ::access(target.c_str(), W_OK) != 0 ? EACCES : 0;
}

/// A new file next to the one to be written; removes itself unless it was renamed into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : path_(free_name(target)),
        file_(open_new(path_.c_str())),
        open_error_(file_.is_open() ? 0 : errno) {}

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  ~TemporaryFile() {
    const bool left = file_.is_open() && !placed_;
    if (left && ::unlink(path_.c_str()) != 0) {
      ::unlink(path_.c_str());  // a fault of a moment, as file servers have them
    }
    unfinished = nullptr;
  }

  /// 0, or the system's error number.
  int write(std::string_view content) const {
    return open_error_ != 0 ? open_error_ : write_all(file_, content);
  }

  /// The owner only where the system allows it.
  int keep_mode_of(const fs::path& target) const {
    struct stat status = {};
    if (::stat(target.c_str(), &status) != 0) {
      return 0;  // a new file has the mode that the user's mask gives it
    }
    if (status.st_uid != ::geteuid() || status.st_gid != ::getegid()) {
      static_cast<void>(::fchown(file_.number(), status.st_uid, status.st_gid) == 0);
    }
    return ::fchmod(file_.number(), status.st_mode & 07777U) == 0 ? 0 : errno;
  }

  int place(const fs::path& target) {
    if (::fsync(file_.number()) != 0 || ::rename(path_.c_str(), target.c_str()) != 0) {
      return errno;
    }
    placed_ = true;
    settle(target);
    return 0;
  }

  /// Where no file may be: EEXIST if there is one.
  int place_new(const fs::path& target) {
    if (::fsync(file_.number()) != 0) {
      return errno;
    }
    if (::link(path_.c_str(), target.c_str()) != 0) {
      const bool without_links = errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
      const int failure = errno;
      return without_links ? (::access(target.c_str(), F_OK) == 0 ? EEXIST : place(target))
                           : failure;
    }
    settle(target);
    return 0;
  }

  /// In exchange for a file that must still be `before`: ESTALE if it is another one, which then
  /// stays. What is exchanged cannot be changed unseen between the comparison and the replacement.
  int place_for(const fs::path& target, const std::string& before) {
    if (::fsync(file_.number()) != 0) {
      return errno;
    }
    const Descriptor folder(
        ::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.is_open()) {  // of three that exchange at once, two could lose what the third wrote
      ::flock(folder.number(), LOCK_EX);
    }
    if (!exchange(target)) {
      const bool without_exchange = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
      const int failure = errno;
      if (!without_exchange) {
        return failure;
      }
      return content_of(target) == before ? place(target) : ESTALE;
    }
    if (content_of(path_) != before) {
      return exchange(target) ? ESTALE : errno;
    }
    settle(target);
    return 0;
  }

 private:
  bool exchange(const fs::path& target) const {
    return ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0;
  }

  static std::string content_of(const fs::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file.is_open() ? read_all(file, path.string(), static_cast<std::size_t>(-2)) : "";
  }

  static void settle(const fs::path& target) {
    // Without this the rename itself may be lost with the power; a directory that can't be opened
    // for it is not a reason to fail.
    const Descriptor folder(
        ::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.is_open()) {
      ::fsync(folder.number());
    }
  }

  static int open_new(const char* path) {
    unfinished = path;
    return ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }

  static fs::path free_name(const fs::path& target) {
    fs::path candidate;
    std::error_code ignored;
    int number = 0;
    do {
      candidate = target.parent_path() /
                  fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), number++);
    } while (fs::exists(fs::symlink_status(candidate, ignored)));
    return candidate;
  }

  fs::path path_;
  Descriptor file_;
  int open_error_;
  bool placed_ = false;
};

}  // namespace

std::string DiskFiles::read(const std::string& path, std::size_t limit) const {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  const bool pipe =
      file.is_open() && ::fstat(file.number(), &status) == 0 && S_ISFIFO(status.st_mode);
  const std::string begin = pipe ? await_writer(file, path) : std::string();
  if (file.is_open()) {
    ::fcntl(file.number(), F_SETFL, O_RDONLY);  // from here on reading may wait
  }
  return begin + read_all(file, path, limit);
}

std::string DiskFiles::read_regular(const std::string& path, std::size_t limit) const {
  // Opening a pipe would wait for its writer; reading a file of /proc could wait too.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (file.is_open() && ::fstat(file.number(), &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISDIR(status.st_mode)) {
    throw MissingError(
        fmt::format("cannot read {}: it is {}, not a regular file", path, kind_of(status.st_mode)));
  }
  return read_all(file, path, limit);
}

bool DiskFiles::is_file(const std::string& path) const {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_directory(status);
}

bool DiskFiles::is_directory(const std::string& path) const {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<std::string> DiskFiles::list(const std::string& directory) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const auto status = entry->status(ignored);
    if (!fs::is_other(status)) {  // who opens a pipe that is in a directory waits for ever
      names.push_back(entry->path().filename().string());
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    fail("list", directory, error.value());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> DiskFiles::canonical(const std::string& path) const {
  std::error_code error;
  const auto place = fs::canonical(path, error);
  return error ? std::nullopt : std::optional(place.string());
}

std::string DiskFiles::identity(const std::string& path) const {
  struct stat about = {};
  return ::stat(path.c_str(), &about) == 0 ? fmt::format("{} {}", about.st_dev, about.st_ino) : "";
}

std::string DiskFiles::stamp(const std::string& path) const {
  struct stat about = {};
  if (::stat(path.c_str(), &about) != 0) {
    return {};
  }
  return fmt::format("{} {} {} {} {}",
                     about.st_ino,
                     about.st_size,
                     about.st_mtim.tv_sec,
                     about.st_mtim.tv_nsec,
                     about.st_mode);
}

void DiskFiles::write_atomically(const std::string& path, const std::string& content) {
  write_in_parts(path, [&content](const auto& sink) { sink(content); });
}

namespace {

/// The file behind symbolic links; the name itself if there is none.
fs::path target_of(const std::string& path) {
  std::error_code error;
  const auto existing = fs::canonical(path, error);
  return error ? fs::absolute(path, error) : existing;
}

/// Hard links of a file beside this name.
std::size_t other_names(const fs::path& target) {
  struct stat status = {};
  const bool has_names = ::stat(target.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return has_names && status.st_nlink > 1 ? static_cast<std::size_t>(status.st_nlink - 1) : 0;
}

/// Writes a temporary file and puts it in place; 0, or the system's error number.
template <class Place>
int written(const fs::path& target, const Parts& parts, const Place& place) {
  int failure = writable(target);
  if (failure != 0) {
    return failure;
  }
  TemporaryFile temporary(target);
  parts([&](std::string_view part) { failure = failure == 0 ? temporary.write(part) : failure; });
  failure = failure == 0 ? temporary.keep_mode_of(target) : failure;
  return failure == 0 ? place(temporary, target) : failure;
}

}  // namespace

template <class Place>
int DiskFiles::replace(const std::string& path, const Parts& parts, const Place& place) const {
  const fs::path target = target_of(path);
  const std::size_t parted = other_names(target);
  const int failure = written(target, parts, place);
  if (failure == 0 && parted > 0 && on_parted_) {
    on_parted_(path, parted);
  }
  return failure;
}

void DiskFiles::write_in_parts(const std::string& path, const Parts& parts) {
  const int failure = is_passage(path)
                          ? write_through(path, parts)
                          : replace(path, parts, [](TemporaryFile& file, const fs::path& target) {
                              return file.place(target);
                            });
  if (failure != 0) {
    fail("write", path, failure);
  }
}

bool DiskFiles::create_atomically(const std::string& path, const std::string& content) {
  const int failure = written(
      target_of(path),
      [&content](const auto& sink) { sink(content); },
      [](TemporaryFile& file, const fs::path& target) { return file.place_new(target); });
  if (failure != 0 && failure != EEXIST) {
    fail("write", path, failure);
  }
  return failure == 0;
}

bool DiskFiles::replace_atomically(const std::string& path,
                                   const std::string& before,
                                   const std::string& content) {
  const int failure = replace(
      path,
      [&content](const auto& sink) { sink(content); },
      [&before](TemporaryFile& file, const fs::path& target) {
        return file.place_for(target, before);
      });
  if (failure != 0 && failure != ESTALE) {
    fail("write", path, failure);
  }
  return failure == 0;
}

void remove_unfinished() noexcept {
  if (const char* const path = unfinished.exchange(nullptr); path != nullptr) {
    ::unlink(path);
  }
}

}  // namespace epwise::os
