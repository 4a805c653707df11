#include "recipe/shell/nested_script.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "recipe/shell/words.h"

namespace epwise::shell {
namespace {

bool is_shell(const Field& word) {
  constexpr std::array<std::string_view, 4> kShells = {"bash", "sh", "zsh", "dash"};
  const std::string text = word.text();
  return word.known() &&
         std::find(kShells.begin(), kShells.end(), base_name(text)) != kShells.end();
}

bool is_script(const Field& word) {
  const std::string text = word.text();
  constexpr std::array<std::string_view, 4> kEndings = {".sh", ".bash", ".sbatch", ".slurm"};
  return word.known() && std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view end) {
           return text.ends_with(end);
         });
}

/// Programs that run the command after their options.
bool runs_command(const Field& word) {
  constexpr std::array<std::string_view, 12> kRunners = {"srun",
                                                         "mpirun",
                                                         "mpiexec",
                                                         "nohup",
                                                         "exec",
                                                         "time",
                                                         "env",
                                                         "timeout",
                                                         "numactl",
                                                         "taskset",
                                                         "nice",
                                                         "setsid"};
  const std::string text = word.text();
  return word.known() &&
         std::find(kRunners.begin(), kRunners.end(), base_name(text)) != kRunners.end();
}

/// Options of srun whose value is a script that runs beside the command.
bool names_script(const Field& option) {
  const std::string text = option.text();
  return text.starts_with("--") && (text.ends_with("prolog") || text.ends_with("epilog"));
}

/// srun … ./inner.sh arguments
std::optional<NestedScript> run_by_another(const std::vector<Field>& words) {
  if (!runs_command(words.front())) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string text = words[i].text();
    if (text.ends_with(".py") || base_name(text).starts_with("python")) {
      return std::nullopt;  // a script after it is an argument
    }
    if (is_script(words[i]) && !text.starts_with('-') && !names_script(words[i - 1])) {
      NestedScript result;
      result.first = i;
      result.path = i;
      return result;
    }
  }
  return std::nullopt;
}

/// `by_srun`: srun starts the shell that reads the source.
void add(const Field& field, Source& source, bool by_srun = false) {
  for (const Piece& piece : field.pieces) {
    Source::Piece place;
    place.mark = piece.mark;
    place.verbatim = piece.verbatim && !piece.unknown();
    place.before_srun = piece.unknown() && (by_srun || piece.before_srun);
    place.condition = piece.condition;
    place.needs = piece.condition == 0 ? std::vector<std::string>() : piece.needs;
    if (!piece.unknown()) {
      source.add(piece.text, std::move(place));
      continue;
    }
    const std::string_view need = piece.needs.front();
    const bool variable =
        need.starts_with("${") && need.ends_with('}') && name_length(need, 2) + 3 == need.size();
    source.add(variable ? need : std::string_view("$(:)"), std::move(place));
  }
}

NestedScript text_of(const Field& field, std::size_t first, bool by_srun = false) {
  NestedScript result;
  result.first = first;
  add(field, result.source, by_srun);
  return result;
}

/// The text after the shell at `at`.
std::optional<NestedScript> behind_shell(const std::vector<Field>& words,
                                         const std::optional<Field>& input,
                                         std::size_t at) {
  std::size_t next = at + 1;
  bool command = false;
  while (next < words.size() && words[next].text().starts_with('-') && !command) {
    const std::string option = words[next].text();
    command = !option.starts_with("--") && option.ends_with('c');
    ++next;
  }
  if (next >= words.size()) {
    return input ? std::optional(text_of(*input, at)) : std::nullopt;
  }
  if (command) {
    const auto shell = words.begin() + static_cast<std::ptrdiff_t>(at);
    const bool by_srun = std::any_of(words.begin(), shell, [](const Field& word) {
      return word.known() && base_name(word.text()) == "srun";
    });
    return text_of(words[next], at, by_srun);
  }
  NestedScript result;
  result.first = at;
  result.path = next;
  return result;
}

/// The field without its first letters, which must be in one piece.
Field without_start(Field field, std::size_t length) {
  Piece& first = field.pieces.front();
  first.text.erase(0, length);
  if (first.verbatim) {
    first.mark.begin += static_cast<std::uint32_t>(length);
  }
  return field;
}

/// sbatch … --wrap '…', --wrap='…'
std::optional<NestedScript> wrapped(const std::vector<Field>& words) {
  constexpr std::string_view kOption = "--wrap";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].text() == kOption && i + 1 < words.size()) {
      return text_of(words[i + 1], i);
    }
    const bool joined =
        !words[i].pieces.empty() && words[i].pieces.front().text.starts_with("--wrap=");
    if (joined) {
      return text_of(without_start(words[i], kOption.size() + 1), i);
    }
  }
  return std::nullopt;
}

/// ssh node '…', pdsh -w nodes '…': the words after the host.
std::optional<NestedScript> elsewhere(const std::vector<Field>& words) {
  const std::string name = words.front().known() ? words.front().text() : std::string();
  const bool many = base_name(name) == "pdsh";
  if (!many && base_name(name) != "ssh") {
    return std::nullopt;
  }
  constexpr std::string_view kWithValue = "bcDEeFIiJLlmOopQRSWw";
  std::size_t at = 1;
  while (at < words.size() && words[at].text().starts_with('-')) {
    const std::string option = words[at].text();
    const bool apart = option.size() == 2 && kWithValue.find(option[1]) != std::string_view::npos;
    at += apart ? 2U : 1U;
  }
  at += many ? 0U : 1U;
  if (at >= words.size()) {
    return std::nullopt;
  }
  NestedScript result;
  result.first = 1;  // its name: who reads the launch sees that it runs on other machines
  result.remote = true;
  result.source = joined({words.begin() + static_cast<std::ptrdiff_t>(at), words.end()});
  return result;
}

std::vector<Field> split_line(std::string_view line, const text::SourceFile& file) {
  std::vector<Field> result;
  const auto base = static_cast<std::size_t>(line.data() - file.bytes().data());
  for (std::size_t at = 0; at < line.size();) {
    at = std::min(line.find_first_not_of(" \t\r", at), line.size());
    if (at >= line.size() || line[at] == '#') {
      break;
    }
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    const text::Mark mark{
        &file, static_cast<std::uint32_t>(base + at), static_cast<std::uint32_t>(base + end)};
    Field field = field_of(std::string(line.substr(at, end - at)), mark);
    field.pieces.front().verbatim = true;
    result.push_back(std::move(field));
    at = end;
  }
  return result;
}

}  // namespace

bool submits(const Field& word) {
  const std::string text = word.text();
  return word.known() && base_name(text) == "sbatch";
}

std::optional<NestedScript> nested_script(const std::vector<Field>& words,
                                          const std::optional<Field>& input) {
  if (auto remote = elsewhere(words)) {
    return remote;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_shell(words[i])) {
      return behind_shell(words, input, i);
    }
  }
  if (submits(words.front())) {
    if (auto command = wrapped(words)) {
      return command;
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (is_script(words[i])) {
        NestedScript result;
        result.first = i;
        result.path = i;
        return result;
      }
    }
    return input ? std::optional(text_of(*input, words.size())) : std::nullopt;
  }
  if (is_script(words.front())) {
    NestedScript result;
    result.path = 0;
    return result;
  }
  return run_by_another(words);
}

Source joined(const std::vector<Field>& fields) {
  Source source;
  for (const Field& field : fields) {
    if (!source.text().empty()) {
      Source::Piece blank;
      blank.mark = field.mark;
      blank.verbatim = false;
      source.add(" ", std::move(blank));
    }
    add(field, source);
  }
  return source;
}

std::vector<Field> directives(const text::SourceFile& script) {
  constexpr std::string_view kMark = "#SBATCH";
  std::vector<Field> result;
  for (int number = 1; number <= script.line_count(); ++number) {
    std::string_view line = script.line(number);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.empty() && line.front() != '#') {
      break;
    }
    if (line.starts_with(kMark)) {
      for (Field& field : split_line(line.substr(kMark.size()), script)) {
        result.push_back(std::move(field));
      }
    }
  }
  return result;
}

}  // namespace epwise::shell
