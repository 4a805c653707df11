/// What bash makes of a script against what `follow` says of it, on random scripts of known parts.
/// After a `return` that an undecided condition guards, `follow` assumes that the script goes on.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/shell/interpreter.h"
#include "support/choices.h"
#include "support/made_script.h"
#include "support/sampling.h"
#include "support/temporary_folder.h"

namespace epwise::shell {
namespace {

using Words = std::vector<std::string>;

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> made_scripts(int count) {
  constexpr std::size_t kBytes = 400;
  std::mt19937 random(20261122);
  std::vector<std::string> scripts;
  std::vector<std::uint8_t> bytes(kBytes);
  for (int i = 0; i < count; ++i) {
    for (auto& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    support::Choices choices(bytes.data(), bytes.size());
    scripts.push_back(support::ScriptMaker(choices).make());
  }
  return scripts;
}

/// Runs script I as I.sh in one bash, which writes the words of each `torchrun` to I.out, each with a
/// 0 byte, and after the last a line break with another, and what it complains about to I.err.
void run_in_bash(const support::TemporaryFolder& folder, const std::vector<std::string>& scripts) {
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    std::ofstream(folder / (std::to_string(i) + ".sh")) << scripts[i];
  }
  std::ofstream(folder / "all.bash")
      << "torchrun() { if [ $# -gt 0 ]; then printf '%s\\0' \"$@\" "
         ">&3; fi; printf '\\n\\0' >&3; }\n"
         "cd \"$1\" || exit 1\nset --\n"
         "for ((all = 0; all < "
      << scripts.size()
      << "; all++)); do (ulimit -t 1; unset OLDPWD PWD SHLVL; . ./$all.sh "
         "3>$all.out 2>$all.err >/dev/null); done\n";
  const std::string command =
      "env -i PATH=/usr/bin:/bin bash --norc '" + folder / "all.bash" + "' '" + folder.path() + "'";
  static_cast<void>(std::system(command.c_str()));  // NOLINT(concurrency-mt-unsafe, cert-env33-c)
}

std::vector<Words> calls_in(const std::string& output) {
  std::vector<Words> calls;
  Words words;
  for (std::size_t at = 0; at < output.size();) {
    const auto end = output.find('\0', at);
    std::string word = output.substr(at, end - at);
    at = end + 1;
    if (word == "\n") {
      calls.push_back(std::exchange(words, {}));
    } else {
      words.push_back(std::move(word));
    }
  }
  return calls;
}

/// Nullopt: a call, or one of its words, is undecided.
std::optional<std::vector<Words>> calls_of(const Trace& trace) {
  std::vector<Words> calls;
  for (const Invocation& invocation : trace.invocations) {
    Words words;
    bool known = invocation.certain;
    for (const Field& field : invocation.words) {
      known = known && field.known();
      words.push_back(field.text());
    }
    if (!words.empty() && words.front() != "torchrun") {
      continue;
    }
    if (!known) {
      return std::nullopt;
    }
    calls.emplace_back(words.begin() + 1, words.end());
  }
  return calls;
}

std::string shown(const std::vector<Words>& calls) {
  std::string text;
  for (const Words& words : calls) {
    text += "  torchrun";
    for (const std::string& word : words) {
      text += " <" + word + ">";
    }
    text += "\n";
  }
  return text;
}

TEST_CASE("scripts of known parts start what bash starts") {
  const auto scripts = made_scripts(4000 / test::share(4) / test::sanitized_share(10));
  const support::TemporaryFolder folder;
  run_in_bash(folder, scripts);
  int compared = 0;
  int undecided = 0;
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    const std::string name = std::to_string(i);
    REQUIRE(std::filesystem::exists(folder / (name + ".out")));
    if (!read(folder / (name + ".err")).empty()) {
      continue;  // bash complains, and what it does then is not for a launch
    }
    const text::SourceFile file("run.sh", scripts[i]);
    const auto calls = calls_of(follow(file, Surroundings()));
    if (!calls) {
      ++undecided;
      continue;
    }
    constexpr std::size_t kMost = 200;  // near the limit of the interpreter
    if (calls->size() > kMost) {
      continue;
    }
    ++compared;
    const auto wanted = calls_in(read(folder / (name + ".out")));
    CHECK_MESSAGE(
        *calls == wanted, scripts[i], "bash:\n", shown(wanted), "epwise:\n", shown(*calls));
  }
  MESSAGE(compared, " compared, ", undecided, " undecided of ", scripts.size());
  CHECK(compared > 8 * undecided);  // or it would compare less and less
}

}  // namespace
}  // namespace epwise::shell
