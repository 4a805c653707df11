#pragma once

#include <functional>
#include <memory>
#include <string>

/// Crashes of this program: SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. Within `run_guarded` one ends
/// that piece of work and nothing else; anywhere else it ends the program with a sentence and an
/// exit code.
namespace epwise::os {

/// Takes the signals over, for the whole process; a program calls it, a library does not. Called
/// again it takes them back from any handler installed since.
/// `command` is named when there is a crash outside of guarded work, and the program then ends with
/// `exit_code`. Does nothing in a build with the address sanitizer, which reports more.
void install_crash_guard(const std::string& command, int exit_code);

/// Whether crashes are caught: after `install_crash_guard`, but for builds with the sanitizer.
bool has_crash_guard();

/// Runs `work`. False if it threw or crashed; `what` then describes it: "segmentation fault (signal
/// 11)", "out of memory". Nothing that crashed work held is destroyed or unlocked: memory leaks,
/// and the results of work that failed must not be touched. From the first crash on, work that
/// takes longer than two minutes ends the program, since it may wait for a lock that will never be
/// released. May be used from several threads; in an inner call the inner one ends. Without a guard
/// only what is thrown is caught.
bool run_guarded(const std::function<void()>& work, std::string& what);

/// For a library: takes the signals over while it lives, and gives them back to whoever had them.
/// Scopes may overlap, in one thread or in several; the last one gives back. A crash outside of
/// guarded work goes to the previous handler. Does nothing if a program has installed a guard.
class CrashScope {
 public:
  CrashScope();
  CrashScope(const CrashScope&) = delete;
  CrashScope& operator=(const CrashScope&) = delete;
  ~CrashScope();
};

/// The stack that a handler runs on when the thread's own is used up. The main thread and whoever
/// calls `run_guarded` have one; other threads that may crash make one, for as long as they live.
class CrashStack {
 public:
  CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;
  ~CrashStack();

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace epwise::os
