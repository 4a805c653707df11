// A layer between the program and the file system, for LD_PRELOAD: counts the calls that change files, and lets one of them fail.
//
//   EPWISE_FAULT_AT=N       the N-th call, from 1; 0 or unset: none
//   EPWISE_FAULT=KIND       enospc, eio: the call fails, and every later write too; short: a write takes half, and later ones fail;
//                           kill: the process is killed before the call; killed: after it; interrupt: it gets SIGINT before the call;
//                           edit: EPWISE_FAULT_FILE becomes "edited\n" before the call, as if an editor saved it
//   EPWISE_FAULT_COUNT=FILE grows by a byte with each call
//
// Streams (standard output and error) are left alone: only files that the program opened itself count.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/types.h>
#include <unistd.h>

namespace {

std::atomic<long> calls = 0;
std::atomic<bool> broken = false;  // a call has failed: the disk stays full

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Plan {
  long at = std::atol(setting("EPWISE_FAULT_AT").c_str());
  std::string kind = setting("EPWISE_FAULT");

  int error() const { return kind == "eio" ? EIO : ENOSPC; }
};

const Plan& plan() {
  static const Plan value;
  return value;
}

enum class Fate { passes, fails, halves, dies_after };

void tally() {
  static const std::string path = setting("EPWISE_FAULT_COUNT");
  if (path.empty()) {
    return;
  }
  static const auto open_it = real<int (*)(const char*, int, mode_t)>("open");
  static const int file = open_it(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  static const auto write_it = real<ssize_t (*)(int, const void*, size_t)>("write");
  static_cast<void>(write_it(file, "x", 1) == 1);
}

void edit() {
  static const auto open_it = real<int (*)(const char*, int, mode_t)>("open");
  static const auto write_it = real<ssize_t (*)(int, const void*, size_t)>("write");
  const int file =
      open_it(setting("EPWISE_FAULT_FILE").c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  constexpr const char* kText = "edited\n";
  static_cast<void>(write_it(file, kText, std::strlen(kText)));
  ::close(file);
}

/// What happens to the next call. `writes`: it needs room on the disk.
Fate next(bool writes) {
  const long number = ++calls;
  tally();
  if (number == plan().at) {
    if (plan().kind == "kill") {
      ::raise(SIGKILL);
    }
    if (plan().kind == "killed") {
      return Fate::dies_after;
    }
    if (plan().kind == "interrupt") {
      ::raise(SIGINT);
      return Fate::passes;
    }
    if (plan().kind == "edit") {
      edit();
      return Fate::passes;
    }
    broken = true;
    return plan().kind == "short" && writes ? Fate::halves : Fate::fails;
  }
  return broken && writes ? Fate::fails : Fate::passes;
}

template <class Result>
Result finished(Fate fate, Result result) {
  if (fate == Fate::dies_after) {
    ::raise(SIGKILL);
  }
  return result;
}

int opened(const char* name, const char* path, int flags, mode_t mode) {
  using Open = int (*)(const char*, int, mode_t);
  static const auto plain = real<Open>("open");
  static const auto large = real<Open>("open64");
  const Open function = std::strcmp(name, "open") == 0 ? plain : large;
  if ((flags & O_ACCMODE) == O_RDONLY) {
    return function(path, flags, mode);
  }
  const Fate fate = next(false);
  if (fate == Fate::fails) {
    errno = plan().error();
    return -1;
  }
  return finished(fate, function(path, flags, mode));
}

/// 0, or -1 with errno, without a call if it must fail.
template <class Work>
int simple(const Work& work) {
  const Fate fate = next(false);
  if (fate == Fate::fails) {
    errno = plan().error();
    return -1;
  }
  return finished(fate, work());
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened("open64", path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  static const auto function = real<ssize_t (*)(int, const void*, size_t)>("write");
  if (file <= STDERR_FILENO) {
    return function(file, bytes, size);
  }
  const Fate fate = next(true);
  if (fate == Fate::fails) {
    errno = plan().error();
    return -1;
  }
  const size_t taken = fate == Fate::halves ? (size + 1) / 2 : size;
  return finished(fate, function(file, bytes, taken));
}

int fsync(int file) {
  static const auto function = real<int (*)(int)>("fsync");
  return simple([&] { return function(file); });
}

int fchmod(int file, mode_t mode) {
  static const auto function = real<int (*)(int, mode_t)>("fchmod");
  return simple([&] { return function(file, mode); });
}

int rename(const char* from, const char* to) {
  static const auto function = real<int (*)(const char*, const char*)>("rename");
  return simple([&] { return function(from, to); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static const auto function =
      real<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  return simple([&] { return function(from_folder, from, to_folder, to, flags); });
}

int link(const char* from, const char* to) {
  static const auto function = real<int (*)(const char*, const char*)>("link");
  return simple([&] { return function(from, to); });
}

int unlink(const char* path) {
  static const auto function = real<int (*)(const char*)>("unlink");
  return simple([&] { return function(path); });
}

}  // extern "C"
