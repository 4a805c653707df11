#include "recipe/launch/launch_script.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "recipe/launch/assignments.h"
#include "recipe/launch/bridge_launch.h"
#include "recipe/launch/flag_launch.h"
#include "recipe/launch/launch_words.h"
#include "recipe/launch/ray_environment.h"
#include "recipe/launch/slime_launch.h"
#include "recipe/launch/swift_launch.h"
#include "recipe/launch/trainer_launch.h"
#include "shell/interpreter.h"
#include "shell/nested_script.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Given = shell::Field;

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

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

/// "run.sh:12"
std::string place(const text::Mark& mark) {
  return mark.nowhere() ? std::string("the launcher")
                        : fmt::format("{}:{}", mark.file->name(), mark.start().line);
}

class Reader {
 public:
  Reader(const Request& request,
         const Recipe& start,
         const std::vector<Word>& words,
         const std::function<const Vocabulary&(Framework)>& vocabulary_for)
      : request_(request),
        start_(start),
        words_(words),
        vocabulary_for_(vocabulary_for) {}

  std::vector<Recipe> run() {
    shell::Surroundings surroundings = surrounding();
    trace_ = shell::follow(*request_.file, surroundings);
    const auto slip = request_.slip;
    for (const shell::Invocation& invocation : trace_.invocations) {
      request_.slip = is_elsewhere(invocation) ? nullptr : slip;
      auto launch = launch_words(invocation.words);
      if (!launch || recipes_.size() >= kMostLaunches || add_trainer(invocation, *launch)) {
        continue;
      }
      if (const auto framework = framework_of(*launch)) {
        add(invocation, *launch, *framework);
      }
    }
    if (recipes_.empty()) {
      recipes_.push_back(nothing());
    }
    return std::move(recipes_);
  }

 private:
  static constexpr std::size_t kMostLaunches = 16;

  /// Whether names of files may mean others there: in a folder that the script or a launcher goes
  /// to.
  static bool is_elsewhere(const shell::Invocation& invocation) {
    return invocation.elsewhere || std::ranges::any_of(invocation.words, [](const Given& word) {
             const std::string text = word.text();
             return text.starts_with("--chdir") || text.starts_with("--container-workdir") ||
                    text.starts_with("--workdir");
           });
  }

  /// Whose settings a program takes; nullopt for one that nobody knows here.
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
    for (const Word& word : words_) {
      Given field = shell::field_of(word.text, word.mark);
      field.pieces.front().verbatim = true;
      result.arguments.push_back(std::move(field));
    }
    return result;
  }

  /// What Slurm sets from the script's own lines.
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
      set("SLURM_NTASKS", found.world());
      set("SLURM_NPROCS", found.world());
    }
    return result;
  }

  /// A program with a configuration of its own around Megatron's; false for any other.
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

  /// What the script says besides the program's own words: files, variables, ranks.
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
    if (const auto world = launch.processes.world()) {
      recipe.raw["raw.gpus"] = Value::of(world->value);
      recipe.raw["raw.gpus_source"] = Value::of(place(world->mark));
    }
    return recipe;
  }

  LaunchWords with_words(LaunchWords launch) const {
    if (!trace_.uses_arguments) {
      for (const Word& word : words_) {
        launch.arguments.push_back(shell::field_of(word.text, word.mark));
      }
    }
    return launch;
  }

  void finish(Recipe recipe) {
    if (!recipes_.empty()) {
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
         "this script starts no training that epwise knows: no Python program with flags of "
         "Megatron-LM, overrides of Megatron-Bridge or settings of a framework around them",
         {},
         "give variables that decide it with --env, or the launch itself behind --"});
    return recipe;
  }

  Request request_;
  const Recipe& start_;
  const std::vector<Word>& words_;
  const std::function<const Vocabulary&(Framework)>& vocabulary_for_;
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
    if (is_shell_line(trimmed(file.line(number)))) {
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
  return Reader(request, start, words, vocabulary_for).run();
}

}  // namespace epwise::recipe
