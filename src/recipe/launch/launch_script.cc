#include "recipe/launch/launch_script.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/units/checked.h"
#include "recipe/launch/allocation.h"
#include "recipe/launch/bridge_launch.h"
#include "recipe/launch/flag_launch.h"
#include "recipe/launch/launch_words.h"
#include "recipe/launch/trainer_launch.h"
#include "recipe/rank_count.h"
#include "recipe/recipe.h"
#include "recipe/shell/field.h"
#include "recipe/shell/interpreter.h"
#include "recipe/shell/nested_script.h"
#include "yaml/parse.h"

namespace epwise::recipe {

/// The variables that `ray job submit --runtime-env-json='{"env_vars": {…}}'` sets for the program;
/// `words` are those before the program. Unknown if the text contains unset variables.
std::map<std::string, Variable> ray_environment(const std::vector<shell::Field>& words);

namespace {

using expr::Value;
using Given = shell::Field;

bool names_a_shell(std::string_view line) {
  const std::string_view name = line.substr(line.find_last_of("/ ") + 1);
  return line.starts_with("#!") && name.ends_with("sh");
}

bool is_shell_line(std::string_view line) {
  if (line.starts_with("export ")) {
    return line.find('=') != std::string_view::npos;
  }
  constexpr std::array<std::string_view, 6> kBegins = {
      "#SBATCH ", "torchrun ", "srun ", "sbatch ", "mpirun ", "set -e"};
  return std::any_of(kBegins.begin(), kBegins.end(), [line](std::string_view begin) {
    return line.starts_with(begin);
  });
}

class LaunchScriptReader {
 public:
  LaunchScriptReader(const Request& request,
                     const Recipe& start,
                     const std::vector<Word>& words,
                     const std::function<const Vocabulary&(Framework)>& vocabulary_for,
                     const Command* command = nullptr)
      : request_(request),
        start_(start),
        words_(words),
        vocabulary_for_(vocabulary_for),
        command_(command) {}

  /// The launches of a command instead of those of the file.
  std::vector<Recipe> run_command() {
    shell::Surroundings surroundings;
    surroundings.environment = request_.environment;
    surroundings.open = request_.open;
    surroundings.presets = command_->variables;
    trace_ = shell::follow(command_->words, surroundings);
    read_invocations();
    return std::move(recipes_);
  }

  std::vector<Recipe> run() {
    if (request_.file->bytes().size() > shell::kMostScriptBytes) {
      recipes_.push_back(too_large());
      return std::move(recipes_);
    }
    if (const auto wide = yaml::wide_encoding(request_.file->bytes()); !wide.empty()) {
      recipes_.push_back(in_encoding(wide));
      return std::move(recipes_);
    }
    shell::Surroundings surroundings = surrounding();
    trace_ = shell::follow(*request_.file, surroundings);
    read_invocations();
    if (recipes_.empty() && !trace_.unknown_commands.empty() && mentions_training()) {
      add_unknown(trace_.unknown_commands.front().mark, trace_.unknown_commands.front().needs());
    }
    if (!trace_.beyond.empty() && (!recipes_.empty() || mentions_training())) {
      add_unknown({request_.file.get(), 0, 0}, {trace_.beyond});
    }
    if (recipes_.empty()) {
      recipes_.push_back(nothing());
      Recipe& recipe = recipes_.front();
      if (!trace_.cut_off.empty() && mentions_training()) {
        recipe.diagnostics.clear();  // this tells more than that there is no training
        recipe.files.insert(recipe.files.end(), trace_.files.begin(), trace_.files.end());
        report_cut_options(recipe);
      }
    }
    report_unread(recipes_.front());
    report_unclosed();
    return std::move(recipes_);
  }

 private:
  void read_invocations() {
    const auto slip = request_.slip;
    for (const shell::Invocation& invocation : trace_.invocations) {
      request_.slip = is_elsewhere(invocation) ? nullptr : slip;
      auto launch = launch_words(invocation.words);
      if (!launch || add_trainer(invocation, *launch)) {
        continue;
      }
      if (const auto framework = framework_of(*launch)) {
        add(invocation, *launch, *framework);
      }
      if (recipes_.size() > kMostLaunches) {
        break;
      }
    }
    request_.slip = slip;
    if (recipes_.size() > kMostLaunches) {
      recipes_.erase(recipes_.begin() + kMostLaunches, recipes_.end());
      trace_.beyond = fmt::format("launches after the first {}", kMostLaunches);
    }
  }

  static constexpr std::size_t kMostLaunches = 16;

  /// Whether file names may refer to other files there: in a directory to which the script or a
  /// launcher changes.
  static bool is_elsewhere(const shell::Invocation& invocation) {
    return invocation.elsewhere || std::ranges::any_of(invocation.words, [](const Given& word) {
             const std::string text = word.text();
             return text.starts_with("--chdir") || text.starts_with("--container-workdir") ||
                    text.starts_with("--workdir");
           });
  }

  /// The format of a program's settings; nullopt for an unknown one.
  std::optional<Framework> framework_of(const LaunchWords& launch) const {
    for (const Framework each : {Framework::mlm, Framework::bridge}) {
      if (request_.framework && *request_.framework != each) {
        continue;
      }
      const Vocabulary& vocabulary = vocabulary_for_(each);
      if (each == Framework::mlm ? is_megatron(launch, vocabulary)
                                 : is_bridge(launch, vocabulary)) {
        return each;
      }
    }
    return std::nullopt;
  }

  shell::Surroundings surrounding() const {
    shell::Surroundings result;
    result.path = request_.file->name();
    result.environment = request_.environment;
    result.open = request_.open;
    result.outer = shell::directives(*request_.file);
    if (!result.outer.empty()) {
      result.outer.insert(result.outer.begin(), shell::field_of("sbatch"));
    }
    result.presets = presets(result.outer);
    result.more_arguments = words_.empty();
    for (const Word& word : words_) {
      Given field = shell::field_of(word.text, word.mark);
      field.pieces.front().verbatim = true;
      result.arguments.push_back(std::move(field));
    }
    return result;
  }

  /// Variables that Slurm sets from the script's own lines.
  static std::map<std::string, shell::Variable> presets(const std::vector<Given>& outer) {
    std::map<std::string, shell::Variable> result;
    std::vector<Given> words = outer;
    words.push_back(shell::field_of("python"));
    words.push_back(shell::field_of("x.py"));
    const auto launch = launch_words(words);
    const auto set = [&result](const char* name, const std::optional<Count>& count) {
      if (count) {
        shell::Variable variable;
        variable.kind = shell::Variable::Kind::text;
        variable.fields.push_back(shell::field_of(std::to_string(count->value), count->mark));
        result.emplace(name, std::move(variable));
      }
    };
    if (launch && !outer.empty()) {
      const Processes& found = launch->processes;
      set("SLURM_NNODES", found.nodes);
      set("SLURM_JOB_NUM_NODES", found.nodes);
      set("SLURM_NTASKS_PER_NODE", found.node_tasks);
      set("SLURM_GPUS_PER_NODE", found.node_gpus);
      set("SLURM_GPUS_ON_NODE", found.node_gpus);
      const auto world = found.world();
      if (const auto all = world ? units::product(world->nodes, world->each) : std::nullopt) {
        set("SLURM_NTASKS", Count{*all, world->mark});
        set("SLURM_NPROCS", Count{*all, world->mark});
      }
    }
    return result;
  }

  /// A program with its own configuration around Megatron's; false for any other.
  bool add_trainer(const shell::Invocation& invocation, const LaunchWords& launch) {
    const Recipe recipe = prepared(invocation, launch);
    const LaunchWords whole = with_words(launch);
    std::optional<std::vector<Recipe>> found;
    if (is_swift(launch)) {
      found = read_swift_launch(recipe, whole, request_, vocabulary_for_);
    } else {
      found = read_trainer_launch(recipe, whole, request_, vocabulary_for_);
    }
    if (!found) {
      return false;
    }
    for (Recipe& each : *found) {
      finish(std::move(each));
    }
    return true;
  }

  void add(const shell::Invocation& invocation, const LaunchWords& launch, Framework framework) {
    Recipe recipe = prepared(invocation, launch);
    recipe.framework = framework;
    const LaunchWords whole = with_words(launch);
    const Vocabulary& vocabulary = vocabulary_for_(framework);
    if (framework == Framework::mlm) {
      read_flags(recipe, whole, vocabulary);
      if (is_slime(whole)) {
        complete_slime(recipe, whole, vocabulary);
      }
    } else {
      read_bridge_launch(recipe, whole, request_, vocabulary);
    }
    finish(std::move(recipe));
  }

  /// Whether the script has a word of those that start trainings.
  bool mentions_training() const {
    constexpr std::array<std::string_view, 6> kWords = {
        "torchrun", "egatron", "pretrain", "--num-layers", "verl", "run_recipe"};
    std::string text(request_.file->bytes());
    std::erase(text, '\0');  // of UTF-16
    return std::ranges::any_of(
        kWords, [&text](std::string_view word) { return text.find(word) != std::string::npos; });
  }

  /// What a loop starts whose commands stand elsewhere, or what was not followed: anything may be in
  /// it.
  void add_unknown(const text::Mark& place, const std::vector<std::string>& needs) {
    Recipe recipe = start_;
    recipe.framework = Framework::mlm;
    recipe.files.insert(recipe.files.end(), trace_.files.begin(), trace_.files.end());
    recipe.root = place;
    LaunchWords launch;
    launch.arguments.push_back(shell::unknown_field(place, needs));
    launch.arguments.front().pieces.front().quoted = false;
    read_flags(recipe, launch, vocabulary_for_(Framework::mlm));
    finish(std::move(recipe));
  }

  /// What the script defines besides the program's own words: files, variables, ranks.
  Recipe prepared(const shell::Invocation& invocation, const LaunchWords& launch) const {
    Recipe recipe = start_;
    recipe.files.insert(recipe.files.end(), trace_.files.begin(), trace_.files.end());
    recipe.root = {request_.file.get(), 0, 0};
    if (!launch.arguments.empty()) {
      recipe.root = launch.arguments.front().mark;
    }
    for (const auto& [name, variable] : invocation.environment) {
      if (variable.kind == shell::Variable::Kind::text) {
        recipe.variables.insert_or_assign(name, variable_of(variable.fields.front(), variable.key));
      } else if (variable.kind == shell::Variable::Kind::unset) {
        recipe.variables.insert_or_assign(name,
                                          Variable{Value::unset(), variable.key, variable.key});
      }
    }
    for (const auto& [name, field] : launch.variables) {
      recipe.variables.insert_or_assign(name, variable_of(field, field.mark));
    }
    for (auto& [name, variable] : ray_environment(invocation.words)) {
      recipe.variables.insert_or_assign(name, std::move(variable));
    }
    if (const auto world = world_of(launch.processes)) {
      set_ranks(recipe, *world, "the launcher");
    }
    report_allocation(recipe, launch.processes, invocation.nested_from);
    if (command_ != nullptr && command_->gpus) {
      report_pods(recipe, launch.processes, *command_->gpus);
    }
    return recipe;
  }

  /// What the command says itself comes before what its scheduler starts; but torchrun takes the
  /// number of nodes from a scheduler that sets it.
  std::optional<Ranks> world_of(const Processes& processes) const {
    const auto own = processes.world();
    if (command_ == nullptr || !command_->ranks) {
      return own;
    }
    const bool nodes_set = command_->sets_nodes && processes.torch && !processes.torch_nodes;
    if (nodes_set && own) {
      return Ranks{command_->ranks->nodes, own->each, command_->ranks->mark};
    }
    return own ? own : command_->ranks;
  }

  LaunchWords with_words(LaunchWords launch) const {
    if (!trace_.uses_arguments) {
      for (const Word& word : words_) {
        launch.arguments.push_back(shell::field_of(word.text, word.mark));
      }
    }
    return launch;
  }

  /// Line endings of DOS, with which no Slurm takes a script and bash joins no lines.
  void report_line_endings(Recipe& recipe) const {
    const std::string_view bytes = request_.file->bytes();
    const std::size_t at = command_ == nullptr ? bytes.find("\r\n") : std::string_view::npos;
    if (at == std::string_view::npos) {
      return;
    }
    const bool batch = !shell::directives(*request_.file).empty();
    const auto place = static_cast<std::uint32_t>(at);
    recipe.diagnostics.push_back(
        {"recipe/dos-line-endings",
         {request_.file.get(), place, place + 1},
         fmt::format("the lines of this script end in CRLF: {}",
                     batch ? "sbatch refuses it"
                           : "bash takes each carriage return as a part of the last word, and "
                             "joins no lines at a backslash"),
         {},
         fmt::format("write Unix line endings: sed -i 's/\\r$//' {}", request_.file->name())});
  }

  /// What bash has read before it gives up, it has run.
  void report_unclosed() {
    const shell::Unclosed& unclosed = trace_.unclosed;
    const bool found = recipes_.front().readable;
    if (unclosed.mark.nowhere() || (!found && !mentions_training())) {
      return;
    }
    for (Recipe& recipe : recipes_) {
      if (found &&
          (recipe.root.file != unclosed.mark.file || recipe.root.begin < unclosed.mark.begin)) {
        continue;
      }
      if (!found) {
        recipe.diagnostics.clear();  // this tells more than that there is no training
      }
      recipe.diagnostics.push_back(
          {"recipe/script-syntax",
           unclosed.mark,
           fmt::format("bash stops here, before the launch: {}", unclosed.what),
           {},
           fmt::format("`bash -n {}` shows where bash gives up", request_.file->name())});
    }
  }

  /// Where the script has an option that its command does not contain: for one of an array that
  /// another file fills, the line behind the command.
  text::Mark place_of(const Given& option) const {
    const text::SourceFile& script = *request_.file;
    if (option.mark.file == &script || trace_.invocations.empty()) {
      return option.mark;
    }
    std::uint32_t end = 0;
    for (const Given& word : trace_.invocations.back().words) {
      end = word.mark.file == &script ? std::max(end, word.mark.end) : end;
    }
    const int next = static_cast<int>(script.position(end).line) + 1;
    const std::size_t begin = script.line_offset(next);
    const std::string_view line = script.line(next);
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    return end == 0 ? option.mark
                    : text::Mark{&script,
                                 static_cast<std::uint32_t>(begin + indent),
                                 static_cast<std::uint32_t>(begin + line.size())};
  }

  /// bash looks for a program of that name, says that there is none, and goes on.
  void report_cut_options(Recipe& recipe) const {
    for (const Given& option : trace_.cut_off) {
      recipe.diagnostics.push_back(
          {"recipe/cut-options",
           place_of(option),
           fmt::format(
               "`{}` does not reach the program: the command ends before this line, and bash "
               "takes the option for a command of its own",
               option.text()),
           {},
           "end each line before it in a backslash, with nothing behind it: no blank, no comment "
           "and no empty line"});
    }
  }

  void finish(Recipe recipe) {
    if (recipes_.empty()) {
      report_line_endings(recipe);
      report_cut_options(recipe);
    } else {
      recipe.path += fmt::format("#{}", recipes_.size() + 1);
    }
    recipe.raw["raw.launcher"] = Value::of("shell");
    recipes_.push_back(std::move(recipe));
  }

  Recipe nothing() const {
    Recipe recipe = start_;
    recipe.readable = false;
    recipe.root = {request_.file.get(), 0, 0};
    recipe.diagnostics.push_back(
        {"recipe/unrecognized",
         recipe.root,
         trace_.unknown_commands.empty()
             ? "this script starts no training that epwise recognises: no Python program with "
               "Megatron-LM flags, Megatron-Bridge overrides or settings of a framework built on "
               "them"
             : fmt::format("this script starts what `{}` names, which is not known here",
                           trace_.unknown_commands.front().text()),
         {},
         "set the variables that decide it with --env, or give the launch itself after --"});
    return recipe;
  }

  /// Bash takes no such file; of one that mentions no training, nothing is said in a folder.
  Recipe in_encoding(std::string_view encoding) const {
    Recipe recipe = nothing();
    if (mentions_training()) {
      recipe.diagnostics.assign(
          1,
          {"recipe/script-syntax",
           recipe.root,
           fmt::format("the script is written in {}, which bash does not read", encoding),
           {},
           fmt::format("save it as UTF-8 without a byte-order mark: iconv -f {} -t UTF-8 {}",
                       encoding,
                       request_.file->name())});
    }
    return recipe;
  }

  static constexpr std::size_t kMebibyte = std::size_t{1} << 20;

  Recipe too_large() const {
    Recipe recipe = start_;
    recipe.readable = false;
    recipe.root = {request_.file.get(), 0, 0};
    recipe.diagnostics.push_back({"yaml/too-large",
                                  recipe.root,
                                  fmt::format("the script is larger than {} MiB, the most that is "
                                              "read",
                                              shell::kMostScriptBytes / kMebibyte),
                                  {},
                                  {}});
    return recipe;
  }

  /// Files that the script runs or sources, and that are there.
  void report_unread(Recipe& recipe) const {
    for (const shell::Unread& each : trace_.unread) {
      if (!each.large) {
        report_refused(recipe, each.path, request_);
        continue;
      }
      recipe.diagnostics.push_back(
          {"recipe/unread-file",
           each.path.mark,
           fmt::format("{} is not read: scripts of more than {} MiB together are not followed",
                       each.path.text(),
                       shell::kMostScriptBytes / kMebibyte),
           {},
           "what it sets counts as unknown"});
    }
  }

  Request request_;
  const Recipe& start_;
  const std::vector<Word>& words_;
  const std::function<const Vocabulary&(Framework)>& vocabulary_for_;
  const Command* command_;
  shell::Trace trace_;
  std::vector<Recipe> recipes_;
};

}  // namespace

bool is_launch_script(const text::SourceFile& file) {
  constexpr std::array<std::string_view, 5> kEndings = {
      ".sh", ".bash", ".sbatch", ".slurm", ".sub"};
  const std::string_view name = file.name();
  if (name.ends_with(".yaml") || name.ends_with(".yml")) {
    return false;
  }
  const bool named = std::any_of(kEndings.begin(), kEndings.end(), [name](std::string_view end) {
    return name.ends_with(end);
  });
  if (named || names_a_shell(file.line(1))) {
    return true;
  }
  constexpr int kLines = 200;
  for (int number = 1; number <= file.line_count() && number <= kLines; ++number) {
    if (is_shell_line(text::trimmed_start(file.line(number), text::kBlanks))) {
      return true;
    }
  }
  return false;
}

std::vector<Recipe> read_launch_script(
    const Request& request,
    const Recipe& start,
    const std::vector<Word>& words,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  return LaunchScriptReader(request, start, words, vocabulary_for).run();
}

std::vector<Recipe> read_command(
    const Request& request,
    const Recipe& start,
    const Command& command,
    const std::vector<Word>& words,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for) {
  return LaunchScriptReader(request, start, words, vocabulary_for, &command).run_command();
}

namespace {

using expr::Value;

constexpr std::string_view kOption = "--runtime-env-json";

/// Where a word is written: in the text of the field itself, or in that of a variable that it uses.
text::Mark place_of(const Given& field, std::string_view word, const text::Mark& behind) {
  std::vector<text::Mark> texts;
  for (const shell::Piece& piece : field.pieces) {
    texts.push_back(piece.definition);
    texts.push_back(piece.mark);
  }
  texts.push_back(field.mark);
  for (const text::Mark& text : texts) {
    if (text.nowhere() || word.empty()) {
      continue;
    }
    const bool after = behind.file == text.file && behind.end >= text.begin;
    const std::uint32_t begin = after ? std::min(behind.end, text.end) : text.begin;
    const std::size_t at = text.file->bytes().substr(begin, text.end - begin).find(word);
    if (at != std::string_view::npos) {
      text::Mark mark = text;
      mark.begin = begin + static_cast<std::uint32_t>(at);
      mark.end = mark.begin + static_cast<std::uint32_t>(word.size());
      return mark;
    }
  }
  return field.mark;
}

void add_json_variables(const Given& field,
                        const std::string& json,
                        std::map<std::string, Variable>& variables) {
  const text::SourceFile file("runtime-env", json);
  const yaml::Stream stream = yaml::parse(file);  // every JSON text is valid YAML
  const yaml::Node* all =
      stream.documents.empty() ? nullptr : stream.documents.front().root.find("env_vars");
  if (all == nullptr) {
    return;
  }
  for (const yaml::Entry& entry : all->entries) {
    if (!entry.value.is_scalar()) {
      continue;
    }
    Variable variable;
    const std::string& value = entry.value.scalar;
    const bool open = !field.known() && value.find('$') != std::string::npos;
    variable.value = open ? Value::unknown(field.needs()) : Value::of(value);
    variable.key = place_of(field, entry.key, {});
    variable.mark = open ? variable.key : place_of(field, value, variable.key);
    variables.insert_or_assign(entry.key, std::move(variable));
  }
}

}  // namespace

std::map<std::string, Variable> ray_environment(const std::vector<Given>& words) {
  std::map<std::string, Variable> variables;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string text = words[i].text();
    if (text == "--") {
      break;
    }
    if (text == kOption && i + 1 < words.size()) {
      add_json_variables(words[i + 1], words[i + 1].text(), variables);
    } else if (text.starts_with(kOption) && text.substr(kOption.size()).starts_with('=')) {
      add_json_variables(words[i], text.substr(kOption.size() + 1), variables);
    }
  }
  return variables;
}

}  // namespace epwise::recipe
