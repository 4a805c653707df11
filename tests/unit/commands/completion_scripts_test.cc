#include <cstdio>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "commands/completions/scripts.h"
#include "ui/command.h"

namespace cli = epwise::cli;

namespace {

/// Whether a shell finds the script well-formed; true with a word when the shell is not installed.
bool is_valid(const std::string& shell, const std::string& script) {
  const std::string look = "command -v " + shell + " >/dev/null 2>&1";
  if (std::system(look.c_str()) != 0) {
    MESSAGE(shell << " is not installed: its script is not checked");
    return true;
  }
  const std::string check = shell + " -n /dev/stdin";
  FILE* pipe = popen(check.c_str(), "w");
  REQUIRE(pipe != nullptr);
  std::fwrite(script.data(), 1, script.size(), pipe);
  return pclose(pipe) == 0;
}

}  // namespace

TEST_CASE("Scripts are what their shells can read") {
  CHECK(is_valid("bash", cli::bash_completion()));
  CHECK(is_valid("zsh", cli::zsh_completion()));
  CHECK(is_valid("fish", cli::fish_completion()));
  CHECK_FALSE(is_valid("bash", "case x in"));  // the check can fail
}

TEST_CASE("Every command and option is in every script") {
  const std::string bash = cli::bash_completion();
  const std::string zsh = cli::zsh_completion();
  const std::string fish = cli::fish_completion();
  for (const cli::Command& command : cli::commands()) {
    for (const cli::Option& option : all_options(command)) {
      const std::string name(option.name);
      CAPTURE(name);
      CHECK(bash.find(name) != std::string::npos);
      CHECK(zsh.find("'" + std::string(option.arity == cli::Option::Arity::many ? "*" : "") +
                     name) != std::string::npos);
      CHECK(fish.find(name.starts_with("--") ? "-l " + name.substr(2) : "-s " + name.substr(1)) !=
            std::string::npos);
    }
  }
  CHECK(bash.find("gb200") != std::string::npos);
}
