#include "base/os/crash_guard.h"

#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

namespace {

using epwise::os::has_crash_guard;
using epwise::os::install_crash_guard;
using epwise::os::run_guarded;

constexpr int kInternal = 70;

/// What became of a child process that does `work` and ends with 0 behind it.
struct Ended {
  int code = -1;  // as a shell sees it
  std::string said;
};

/// In a child: the handlers hold for a whole process, and not for the other tests.
Ended in_child(const std::function<void()>& work, bool installs = true) {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
      std::signal(signal, SIG_DFL);  // doctest has handlers of its own
    }
    if (installs) {
      install_crash_guard("epwise simulate\na.yaml", kInternal);
    }
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    ended.said.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

/// What `run_guarded` says of the work, or "" where it went well.
std::string guarded(const std::function<void()>& work) {
  std::string what;
  return run_guarded(work, what) ? "" : what;
}

void expect(bool holds, const char* what) {
  if (!holds) {
    static_cast<void>(!::write(STDERR_FILENO, what, std::string(what).size()));
    ::_exit(1);
  }
}

int deep(int left, std::string& text) {
  volatile char frame[1024] = {};
  frame[0] = static_cast<char>(left);
  return left == 0 ? 0 : deep(left - 1, text) + frame[0];
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

TEST_CASE("Without a guard only what is thrown is caught") {
  REQUIRE_FALSE(has_crash_guard());
  CHECK(guarded([] {}).empty());
  CHECK(guarded([] { throw std::runtime_error("no such thing"); }) == "no such thing");
  CHECK(guarded([] { throw std::bad_alloc(); }) == "out of memory");
  CHECK(guarded([] { throw 1; }) == "an error of an unknown kind");
}

TEST_CASE("A crash ends the guarded work alone" * doctest::skip(kSanitized)) {
  const Ended ended = in_child([] {
    expect(has_crash_guard(), "no guard\n");
    const std::vector<std::pair<int, std::string>> crashes = {
        {SIGSEGV, "segmentation fault (signal 11)"},
        {SIGBUS, "bus error (signal 7)"},
        {SIGFPE, "arithmetic error (signal 8)"},
        {SIGILL, "illegal instruction (signal 4)"},
        {SIGABRT, "abort (signal 6)"}};
    for (int round = 0; round < 3; ++round) {
      for (const auto& [signal, sentence] : crashes) {
        expect(guarded([number = signal] { ::raise(number); }) == sentence, "wrong sentence\n");
      }
    }
    expect(guarded([] { std::abort(); }) == "abort (signal 6)", "abort\n");
    expect(guarded([] { throw std::runtime_error("x"); }) == "x", "thrown\n");
    expect(guarded([] {}).empty(), "good work\n");
  });
  CHECK(ended.code == 0);
  CHECK(ended.said == "");
}

TEST_CASE("A stack that is used up is a crash like another" * doctest::skip(kSanitized)) {
  const Ended ended = in_child([] {
    const auto overflow = [] {
      std::string text;
      deep(1 << 30, text);
    };
    expect(guarded(overflow) == "segmentation fault (signal 11)", "first thread\n");
    std::string said;
    std::thread other([&] { said = guarded(overflow) + guarded(overflow); });
    other.join();
    expect(said == "segmentation fault (signal 11)segmentation fault (signal 11)", "other\n");
  });
  CHECK(ended.code == 0);
  CHECK(ended.said == "");
}

TEST_CASE("Threads crash each for itself" * doctest::skip(kSanitized)) {
  const Ended ended = in_child([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([i] {
        for (int round = 0; round < 200; ++round) {
          const bool crashes = (i + round) % 2 == 0;
          const auto said = guarded([crashes] {
            std::string held(100, 'x');
            if (crashes) {
              ::raise(SIGSEGV);
            }
          });
          expect(said.empty() != crashes, "thread\n");
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  });
  CHECK(ended.code == 0);
}

TEST_CASE("The inner of two guards takes the crash" * doctest::skip(kSanitized)) {
  const Ended ended = in_child([] {
    std::string inner;
    const auto outer = guarded([&] {
      inner = guarded([] { ::raise(SIGFPE); });
      ::raise(SIGSEGV);
    });
    expect(inner.starts_with("arithmetic error"), "inner\n");
    expect(outer.starts_with("segmentation fault"), "outer\n");
  });
  CHECK(ended.code == 0);
}

TEST_CASE("Outside of guarded work a crash names the command" * doctest::skip(kSanitized)) {
  const std::string sentence =
      "epwise: internal error in `epwise simulate?a.yaml`: segmentation fault (signal 11); please "
      "report it with the file and `epwise --version`\n";
  const Ended first = in_child([] { ::raise(SIGSEGV); });
  CHECK(first.code == kInternal);
  CHECK(first.said == sentence);
  const Ended behind = in_child([] {
    guarded([] { ::raise(SIGFPE); });
    ::raise(SIGSEGV);
  });
  CHECK(behind.code == kInternal);
  CHECK(behind.said == sentence);
  const Ended thread = in_child([] {
    std::thread([] {
      const epwise::os::CrashStack stack;
      std::string text;
      deep(1 << 30, text);
    }).join();
  });
  CHECK(thread.code == kInternal);
  CHECK(thread.said == sentence);
}

TEST_CASE("A scope borrows the signals and gives them back" * doctest::skip(kSanitized)) {
  using epwise::os::CrashScope;
  const auto crash = [] { return guarded([] { ::raise(SIGSEGV); }); };
  const Ended contained = in_child(
      [&] {
        const CrashScope outer;
        {
          const CrashScope inner;
          expect(crash() == "segmentation fault (signal 11)", "inner\n");
        }
        expect(crash() == "segmentation fault (signal 11)", "outer\n");
      },
      false);
  CHECK(contained.said == "");
  CHECK(contained.code == 0);
  const Ended given_back = in_child(
      [&] {
        { const CrashScope scope; }
        expect(!has_crash_guard(), "still installed\n");
        ::raise(SIGSEGV);
      },
      false);
  CHECK(given_back.code == 128 + SIGSEGV);
  const Ended lender = in_child(
      [&] {
        std::signal(SIGSEGV, [](int) { ::_exit(42); });
        const CrashScope scope;
        ::raise(SIGSEGV);  // outside of guarded work
      },
      false);
  CHECK(lender.code == 42);
  const Ended installed = in_child([&] {
    { const CrashScope scope; }
    expect(has_crash_guard(), "taken away\n");
  });
  CHECK(installed.code == 0);
}
