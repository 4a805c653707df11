/// What bash makes of a script against what `follow` says of it, on random scripts of known parts.
/// EPWISE_SCRIPTS=N: other scripts, from another seed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <span>
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

std::vector<std::string> made_scripts(int count, bool undecided) {
  constexpr std::size_t kBytes = 400;
  const char* asked = std::getenv("EPWISE_SCRIPTS");  // NOLINT(concurrency-mt-unsafe)
  std::mt19937 random(20261122U + (asked != nullptr ? std::stoul(asked) : 0U));
  std::vector<std::string> scripts;
  std::vector<std::uint8_t> bytes(kBytes);
  for (int i = 0; i < count; ++i) {
    for (auto& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    support::Choices choices(bytes.data(), bytes.size());
    scripts.push_back(support::ScriptMaker(choices, undecided).make());
  }
  return scripts;
}

/// Runs script I as I.sh in one bash, which writes the words of each `torchrun` to I.out, each with a
/// 0 byte, and after the last a line break with another, and what it complains about to I.err. The
/// bits of `world` are how often `unknown` succeeds: the first time, the second, …
void run_in_bash(const support::TemporaryFolder& folder,
                 const std::vector<std::string>& scripts,
                 std::uint32_t world = 0) {
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    std::ofstream(folder / (std::to_string(i) + ".sh")) << scripts[i];
  }
  std::ofstream(folder / "all.bash")
      << "torchrun() { if [ $# -gt 0 ]; then printf '%s\\0' \"$@\" "
         ">&3; fi; printf '\\n\\0' >&3; }\n"
         "unknown() { return $(((all_world >> all_turn++ & 1) == 0)); }\n"
         "cd \"$1\" || exit 1\nset --\nall_world="
      << world << " all_turn=0\nfor ((all = 0; all < " << scripts.size()
      << "; all++)); do (ulimit -t 1; unset OLDPWD PWD SHLVL; . ./$all.sh "
         "3>$all.out 2>$all.err >/dev/null); [ $? -lt 128 ] || echo killed >>$all.err; done\n";
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
  const auto scripts = made_scripts(4000 / test::share(4) / test::sanitized_share(10), false);
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

/// Whether the text may be one of these pieces: any text for what is unknown, or not certainly there.
bool may_be(const std::vector<Piece>& pieces, std::string_view text, std::size_t at = 0) {
  if (at == pieces.size()) {
    return text.empty();
  }
  const Piece& piece = pieces[at];
  if (piece.needs.empty() && piece.condition == 0) {
    return text.starts_with(piece.text) && may_be(pieces, text.substr(piece.text.size()), at + 1);
  }
  for (std::size_t size = 0; size <= text.size(); ++size) {
    if (may_be(pieces, text.substr(size), at + 1)) {
      return true;
    }
  }
  return false;
}

/// Whether the words may be those of the fields from `at` on.
bool may_be(const std::vector<Field>& fields, std::span<const std::string> words, std::size_t at) {
  if (at == fields.size()) {
    return words.empty();
  }
  const Field& field = fields[at];
  const bool one = all_present({field});
  if (!one) {  // none, or any number: a text of several words may be a part of each
    for (std::size_t count = 0; count <= words.size(); ++count) {
      if (may_be(fields, words.subspan(count), at + 1)) {
        return true;
      }
    }
    return false;
  }
  return !words.empty() && may_be(field.pieces, words.front()) &&
         may_be(fields, words.subspan(1), at + 1);
}

/// Whether each call that is certain occurs, in this order; `all`: and each that occurs is known.
bool agree(const std::vector<Invocation>& traced, const std::vector<Words>& calls, bool all) {
  std::vector<std::size_t> ends = {0};  // how many of the calls may be over
  for (const Invocation& invocation : traced) {
    std::vector<std::size_t> next;
    const auto add = [&next](std::size_t end) {
      if (next.empty() || next.back() < end) {
        next.push_back(end);
      }
    };
    std::vector<bool> reached(calls.size() + 1);
    for (const std::size_t end : ends) {
      if (!invocation.certain) {
        reached[end] = true;
      }
      for (std::size_t i = end; i < (all ? std::min(end + 1, calls.size()) : calls.size()); ++i) {
        if (!reached[i + 1] && may_be(invocation.words, calls[i], 1)) {
          reached[i + 1] = true;
        }
      }
    }
    for (std::size_t end = 0; end < reached.size(); ++end) {
      if (reached[end]) {
        add(end);
      }
    }
    ends = std::move(next);
  }
  return !ends.empty() && (!all || ends.back() == calls.size());
}

std::string shown(const std::vector<Invocation>& traced) {
  std::string text;
  for (const Invocation& invocation : traced) {
    text += invocation.certain ? "  " : "  perhaps ";
    for (const Field& field : invocation.words) {
      text += field.known() ? field.text() + " " : "<" + field.text() + "?> ";
    }
    text += "\n";
  }
  return text;
}

TEST_CASE("what is certain of scripts with unknown conditions is so in every run") {
  constexpr std::array<std::uint32_t, 6> kWorlds = {0, 0xff, 0x2d, 0x52, 0x55, 0x2a};
  const auto scripts = made_scripts(4000 / test::share(4) / test::sanitized_share(10), true);
  std::vector<Trace> traces;
  int words = 0;
  int known = 0;
  for (const std::string& script : scripts) {
    const text::SourceFile file("run.sh", script);
    traces.push_back(follow(file, Surroundings()));
    auto& found = traces.back().invocations;
    std::erase_if(found, [](const Invocation& invocation) {
      const Field& first = invocation.words.front();
      return first.known() && first.text() != "torchrun";
    });
    for (Invocation& invocation : found) {
      words += static_cast<int>(invocation.words.size());
      known += static_cast<int>(std::ranges::count_if(invocation.words, &Field::known));
    }
  }
  int compared = 0;
  for (const std::uint32_t world : kWorlds) {
    const support::TemporaryFolder folder;
    run_in_bash(folder, scripts, world);
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      const std::string name = std::to_string(i);
      if (!read(folder / (name + ".err")).empty() || !traces[i].beyond.empty()) {
        continue;
      }
      ++compared;
      const auto calls = calls_in(read(folder / (name + ".out")));
      // of a loop whose rounds are not known, one is traced
      const bool all = scripts[i].find("while unknown") == std::string::npos &&
                       scripts[i].find("for A in") == std::string::npos;
      CHECK_MESSAGE(agree(traces[i].invocations, calls, all),
                    scripts[i],
                    "world ",
                    world,
                    ", bash:\n",
                    shown(calls),
                    "epwise:\n",
                    shown(traces[i].invocations));
    }
  }
  MESSAGE(compared, " runs compared; ", known, " of ", words, " words known");
  CHECK(compared > 3 * static_cast<int>(scripts.size()));
  CHECK(2 * known > words);
}

}  // namespace
}  // namespace epwise::shell
