// What only a real process shows: signals, a full disk, a reader that goes away.

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Child {
  pid_t id = -1;
  int input = -1;   // its standard input
  int output = -1;  // its standard output

  int wait() {
    int status = 0;
    waitpid(id, &status, 0);
    return status;
  }
};

/// Starts EPWISE_BINARY; `out` names a file for its standard output instead of a pipe. Without a
/// `reader` nobody ever reads from that pipe.
Child start(const std::vector<std::string>& words, const char* out = nullptr, bool reader = true) {
  int in_pipe[2];
  int out_pipe[2];
  REQUIRE(pipe(in_pipe) == 0);
  REQUIRE(pipe(out_pipe) == 0);
  if (!reader) {
    close(out_pipe[0]);
  }
  std::vector<std::string> all{EPWISE_BINARY};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  Child child;
  child.id = fork();
  REQUIRE(child.id >= 0);
  if (child.id == 0) {
    dup2(in_pipe[0], STDIN_FILENO);
    dup2(out == nullptr ? out_pipe[1] : open(out, O_WRONLY), STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    for (const int descriptor : {in_pipe[0], in_pipe[1], out_pipe[1], reader ? out_pipe[0] : -1}) {
      close(descriptor);
    }
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(in_pipe[0]);
  close(out_pipe[1]);
  child.input = in_pipe[1];
  child.output = reader ? out_pipe[0] : -1;
  return child;
}

}  // namespace

TEST_CASE("SIGINT ends at once with 130") {
  Child child = start({"lint", "-"});
  // A signal before main would end it otherwise: wait until it has taken its input.
  REQUIRE(write(child.input, "x", 1) == 1);
  for (int unread = 1; unread > 0; usleep(1000)) {
    REQUIRE(ioctl(child.input, FIONREAD, &unread) == 0);
  }
  kill(child.id, SIGINT);
  const int status = child.wait();
  close(child.input);
  close(child.output);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
}

// The address sanitizer reports a crash itself. g++ defines __SANITIZE_ADDRESS__, clang has a feature.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define EPWISE_SANITIZED
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(EPWISE_SANITIZED)
TEST_CASE("A crash ends with 70, whatever it was about") {
  Child child = start({"lint", "-"});
  REQUIRE(write(child.input, "x", 1) == 1);
  for (int unread = 1; unread > 0; usleep(1000)) {
    REQUIRE(ioctl(child.input, FIONREAD, &unread) == 0);
  }
  kill(child.id, SIGSEGV);
  const int status = child.wait();
  close(child.input);
  close(child.output);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 70);
}
#endif

TEST_CASE("A reader that goes away ends it without a word and without success") {
  std::signal(SIGPIPE, SIG_IGN);  // the child must not inherit its quietness from us
  Child child = start({"rules", "list", "--format", "json"}, nullptr, false);
  close(child.input);
  const int status = child.wait();
  CHECK((WIFSIGNALED(status) ? WTERMSIG(status) == SIGPIPE : WEXITSTATUS(status) != 0));
}

TEST_CASE("A full disk is no success") {
  Child child = start({"--help"}, "/dev/full");
  close(child.input);
  close(child.output);
  const int status = child.wait();
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
}

TEST_CASE("Standard input is read to its end") {
  Child child = start({"lint", "-", "--stdin-filename", "x.yaml", "--list-files"});
  close(child.input);
  char buffer[64] = {};
  const ssize_t count = read(child.output, buffer, sizeof buffer - 1);
  close(child.output);
  CHECK(WEXITSTATUS(child.wait()) == 0);
  CHECK(std::string(buffer, static_cast<std::size_t>(count)) == "x.yaml\n");
}
