#include "base/os/crash_guard.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace epwise::os {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

constexpr std::size_t kStackBytes = 65536;
constexpr unsigned kPatience = 120;  // seconds

struct Crash {
  int signal;
  std::string_view name;
};

constexpr std::array<Crash, 5> kCrashes = {{{SIGSEGV, "segmentation fault"},
                                            {SIGBUS, "bus error"},
                                            {SIGFPE, "arithmetic error"},
                                            {SIGILL, "illegal instruction"},
                                            {SIGABRT, "abort"}}};

/// Where a crash goes on; the frames of one thread lead outwards.
struct Frame {
  sigjmp_buf place;
  Frame* outer;
};

// What the handlers read. The texts are written before the handlers are installed.
thread_local Frame* innermost = nullptr;
std::atomic<bool> installed = false;
std::atomic<bool> crashed = false;  // at least once
std::atomic<int> guarded = 0;       // pieces of work that run now
std::atomic<bool> lent = false;     // by a scope: others had the signals before
std::array<struct sigaction, kCrashes.size()> lenders = {};
std::string* crash_sentences = nullptr;
std::string* late_sentence = nullptr;
int code = 0;

std::string_view name_of(int signal) {
  const auto* found = std::find_if(kCrashes.begin(), kCrashes.end(), [signal](const Crash& each) {
    return each.signal == signal;
  });
  return found == kCrashes.end() ? "crash" : found->name;
}

std::string text_of(int signal) {
  return fmt::format("{} (signal {})", name_of(signal), signal);
}

[[noreturn]] void end_with(std::string_view sentence) {
  while (!sentence.empty()) {
    const auto count = ::write(STDERR_FILENO, sentence.data(), sentence.size());
    if (count <= 0) {
      break;
    }
    sentence.remove_prefix(static_cast<std::size_t>(count));
  }
  ::_exit(code);
}

void on_crash(int signal) {
  crashed = true;
  if (innermost != nullptr) {
    ::alarm(kPatience);
    siglongjmp(innermost->place, signal);
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    if (kCrashes[i].signal == signal && lent) {
      ::sigaction(signal, &lenders[i], nullptr);
      ::raise(signal);  // arrives when this handler returns
      return;
    }
    if (kCrashes[i].signal == signal) {
      end_with(crash_sentences[i]);
    }
  }
  end_with({});
}

void on_alarm(int /*signal*/) {
  end_with(*late_sentence);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

/// As it is shown in one line.
std::string shown(const std::string& command) {
  constexpr std::size_t kMost = 1000;
  std::string text = command.substr(0, kMost);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  return command.size() > kMost ? text + "..." : text;
}

/// Counts a piece of work, and the time that it may take once something has crashed.
class Counted {
 public:
  Counted() {
    ++guarded;
    if (crashed) {
      ::alarm(kPatience);
    }
  }

  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  ~Counted() {
    const bool last = --guarded == 0;
    if (crashed) {
      ::alarm(last ? 0 : kPatience);
    }
  }
};

/// Makes a frame the one that a crash of this thread goes to.
class Entered {
 public:
  explicit Entered(Frame& frame) : outer_(frame.outer) { innermost = &frame; }

  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  ~Entered() { innermost = outer_; }

 private:
  Frame* outer_;
};

/// The signal that ended the work, 0 when none did. Passes on what the work throws.
int signal_of(const std::function<void()>& work) {
  Frame frame = {};
  frame.outer = innermost;
  const int signal = sigsetjmp(frame.place, 1);
  if (signal == 0) {
    const Entered entered(frame);
    work();
  } else {
    innermost = frame.outer;
  }
  return signal;
}

}  // namespace

void install_crash_guard(const std::string& command, int exit_code) {
  if (kSanitized) {
    return;
  }
  // Never freed: a handler may read them at any time.
  static auto* sentences = new std::array<std::string, kCrashes.size()>;
  static auto* late = new std::string(
      "epwise: internal error: the run came to a halt after the crash of a part of it; please "
      "report it with the command and `epwise --version`\n");
  static auto* stack = new CrashStack;
  static_cast<void>(stack);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    (*sentences)[i] = fmt::format(
        "epwise: internal error in `{}`: {}; please report it with the file and `epwise "
        "--version`\n",
        shown(command),
        text_of(kCrashes[i].signal));
  }
  crash_sentences = sentences->data();
  late_sentence = late;
  code = exit_code;
  installed = true;
  for (const Crash& crash : kCrashes) {
    handle(crash.signal, on_crash);
  }
  handle(SIGALRM, on_alarm);
}

bool has_crash_guard() {
  return installed;
}

bool run_guarded(const std::function<void()>& work, std::string& what) {
  try {
    if (!installed) {
      work();
      return true;
    }
    thread_local const CrashStack stack;
    const Counted counted;
    const int signal = signal_of(work);
    if (signal == 0) {
      return true;
    }
    what = text_of(signal);
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "an error of an unknown kind";
  }
  return false;
}

namespace {

std::mutex scopes_mutex;
int scopes = 0;  // that live
struct sigaction alarm_lender = {};

}  // namespace

CrashScope::CrashScope() {
  const std::lock_guard<std::mutex> lock(scopes_mutex);
  if (kSanitized || (installed && !lent) || scopes++ > 0) {
    return;
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    ::sigaction(kCrashes[i].signal, nullptr, &lenders[i]);
  }
  ::sigaction(SIGALRM, nullptr, &alarm_lender);
  constexpr int kInternal = 70;
  install_crash_guard("epwise", kInternal);
  lent = true;
}

CrashScope::~CrashScope() {
  const std::lock_guard<std::mutex> lock(scopes_mutex);
  if (!lent || --scopes > 0) {
    return;
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    ::sigaction(kCrashes[i].signal, &lenders[i], nullptr);
  }
  ::sigaction(SIGALRM, &alarm_lender, nullptr);
  installed = false;
  lent = false;
}

CrashStack::CrashStack() {
  if (kSanitized) {
    return;
  }
  stack_t now = {};
  if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) {
    return;  // there is one
  }
  memory_.reset(new (std::nothrow) char[kStackBytes]);
  if (memory_ == nullptr) {
    return;  // then a crash on a used-up stack ends the program as the system ends it
  }
  stack_t mine = {};
  mine.ss_sp = memory_.get();
  mine.ss_size = kStackBytes;
  ::sigaltstack(&mine, nullptr);
}

CrashStack::~CrashStack() {
  if (memory_ != nullptr) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
}

}  // namespace epwise::os
