#include "recipe/launch/launch_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "recipe/shell/arithmetic.h"
#include "recipe/shell/words.h"

namespace epwise::recipe {

namespace {

using Given = shell::Field;

/// Every comma-separated part is K=V, and there are several.
bool is_list(std::string_view text) {
  if (text.find(',') == std::string_view::npos) {
    return false;
  }
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::size_t length = shell::name_length(part, 0);
    if (length == 0 || part.substr(length, 1) != "=") {
      return false;
    }
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return true;
}

/// Some letters of a field's first piece.
Given stretch(const Given& field, std::size_t begin, std::size_t end) {
  Given part = field;
  shell::Piece& piece = part.pieces.front();
  piece.text = piece.text.substr(begin, end - begin);
  if (piece.verbatim) {
    piece.mark.end = piece.mark.begin + static_cast<std::uint32_t>(end);
    piece.mark.begin += static_cast<std::uint32_t>(begin);
    part.mark = piece.mark;
  }
  return part;
}

}  // namespace

void add_variable(const Given& word, std::size_t begin, std::map<std::string, Given>& variables) {
  if (word.pieces.empty() || word.pieces.front().text.size() < begin) {
    return;
  }
  const std::string first = word.pieces.front().text.substr(begin);
  const std::size_t length = shell::name_length(first, 0);
  if (length == 0 || first.substr(length, 1) != "=") {
    return;
  }
  Given value = word;
  shell::Piece& piece = value.pieces.front();
  piece.text = first.substr(length + 1);
  if (piece.verbatim) {
    piece.mark.begin += static_cast<std::uint32_t>(begin + length + 1);
    value.mark.begin = std::min(piece.mark.begin, value.mark.end);
  }
  variables.insert_or_assign(first.substr(0, length), std::move(value));
}

void add_variable_list(const Given& word,
                       std::size_t begin,
                       std::map<std::string, Given>& variables) {
  if (word.pieces.size() != 1 || !word.known()) {
    return;
  }
  const std::string text = word.text();
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    add_variable(stretch(word, at, end), 0, variables);
    at = end + 1;
  }
}

void add_variables(const Given& word, std::size_t begin, std::map<std::string, Given>& variables) {
  if (begin == 0 && !is_list(word.text())) {
    add_variable(word, 0, variables);
  } else {
    add_variable_list(word, begin, variables);
  }
}

Variable variable_of(const Given& value, const text::Mark& key) {
  Variable variable;
  variable.value =
      value.known() ? expr::Value::of(value.text()) : expr::Value::unknown(value.needs());
  variable.key = key;
  variable.mark = value.mark;
  return variable;
}

namespace {

enum class Starter : std::uint8_t { none, slurm, mpi, remote, torch, python, env };

Starter starter_of(std::string_view name) {
  if (text::is_one_of(name, {"sbatch", "srun", "salloc"})) {
    return Starter::slurm;
  }
  if (text::is_one_of(name, {"mpirun", "mpiexec", "orterun"})) {
    return Starter::mpi;
  }
  if (text::is_one_of(name, {"ssh", "pdsh"})) {
    return Starter::remote;
  }
  if (name == "torchrun") {
    return Starter::torch;
  }
  if (text::is_one_of(
          name, {"env", "docker", "podman", "nerdctl", "singularity", "apptainer", "enroot"})) {
    return Starter::env;
  }
  const bool python = name == "python" || name.starts_with("python3") || name == "pypy3";
  return python ? Starter::python : Starter::none;
}

/// What starts the programs of frameworks that have flags of Megatron's names.
bool is_other_launcher(const std::string& word) {
  return text::is_one_of(program_name(word), {"deepspeed", "accelerate", "colossalai", "composer"});
}

bool is_torch_module(std::string_view module) {
  return module == "torch.distributed.run" || module == "torch.distributed.launch";
}

/// "--nproc_per_node" → "--nproc-per-node"
std::string dashed(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

class LaunchWordsReader {
 public:
  explicit LaunchWordsReader(const std::vector<Given>& words) : words_(words) {}

  std::optional<LaunchWords> run() {
    while (at_ < words_.size()) {
      const std::string text = words_[at_].text();
      const Starter next = words_[at_].known() ? starter_of(program_name(text)) : Starter::none;
      out_.by_other = out_.by_other || (words_[at_].known() && is_other_launcher(text));
      if (is_swift_command(text)) {
        out_.program = "megatron " + words_[at_ + 1].text();
        take_arguments(at_ + 1);
        return std::move(out_);
      }
      if (next != Starter::none) {
        if (program_name(text) == "srun") {
          out_.processes.srun = true;
          out_.processes.srun_word = at_;
        }
        enter(next);
        allots_ = text::is_one_of(program_name(text), {"sbatch", "salloc"});
        out_.processes.remote =
            out_.processes.remote || next == Starter::mpi || next == Starter::remote;
      } else if (starter_ == Starter::torch || starter_ == Starter::python) {
        if (program()) {
          return std::move(out_);
        }
      } else if (text.ends_with(".py") && !text.starts_with("-")) {
        take_program(at_);
        return std::move(out_);
      } else if (names_module()) {
        starter_ = Starter::python;
      } else {
        wrapper();
      }
    }
    return std::nullopt;
  }

 private:
  void enter(Starter next) {
    starter_ = next;
    out_.processes.torch = out_.processes.torch || next == Starter::torch;
    out_.processes.slurm = out_.processes.slurm || next == Starter::slurm;
    if (allots_ && !mixed_) {
      out_.processes.allocated_nodes = out_.processes.nodes;
    }
    ++at_;
  }

  /// `$LAUNCHER -m verl.trainer.main_ppo`: only Python and torchrun take a module.
  bool names_module() const {
    return at_ > 0 && at_ + 1 < words_.size() && words_[at_].text() == "-m" &&
           !words_[at_ - 1].known() && words_[at_ + 1].text().find('.') != std::string::npos;
  }

  /// `megatron sft …`: ms-swift's command, which starts torchrun itself.
  bool is_swift_command(const std::string& text) const {
    return text == "megatron" && at_ + 1 < words_.size() &&
           text::is_one_of(words_[at_ + 1].text(), {"pt", "sft", "rlhf", "export"});
  }

  void take_program(std::size_t at) {
    out_.program = words_[at].known() ? words_[at].text() : std::string();
    take_arguments(at);
  }

  void take_arguments(std::size_t at) {
    out_.arguments.assign(words_.begin() + static_cast<std::ptrdiff_t>(at) + 1, words_.end());
  }

  /// An option, or the program itself, after torchrun or python.
  bool program() {
    const std::string text = words_[at_].text();
    if (text == "-m" || text == "--module") {
      return module();
    }
    if (!text.starts_with("-")) {
      take_program(at_);
      return true;
    }
    if (starter_ == Starter::python) {
      const bool value = text == "-W" || text == "-X" || text == "-c";
      at_ += value ? 2U : 1U;
      return false;
    }
    torch_option(text);
    return false;
  }

  bool module() {
    const std::size_t next = at_ + 1;
    if (next >= words_.size()) {
      at_ = next;
      return false;
    }
    if (is_torch_module(words_[next].text())) {
      starter_ = Starter::torch;
      out_.processes.torch = true;
      at_ = next + 1;
      return false;
    }
    take_program(next);
    return true;
  }

  void torch_option(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = dashed(text.substr(0, equals));
    const bool bare = text::is_one_of(name, {"--standalone", "--no-python", "--run-path"});
    const Option option = value_at(text, !bare);
    out_.processes.addressed =
        out_.processes.addressed || !words_[at_].known() ||
        text::is_one_of(name, {"--master-addr", "--rdzv-endpoint", "--standalone"});
    if (name == "--nnodes") {
      out_.processes.torch_nodes = count(option);
    } else if (name == "--nproc-per-node") {
      out_.processes.torch_ranks = count(option);
    } else if (name == "--node-rank") {
      out_.processes.node_rank = node_rank(option);
    } else if (name == "--rdzv-backend" || !words_[at_].known()) {
      out_.processes.dynamic = out_.processes.dynamic || option.value != "static";
    }
    at_ += option.width;
  }

  // ---- options before a program

  struct Option {
    std::string value;
    const Given* field = nullptr;
    text::Mark mark;
    std::size_t width = 1;  // in words
  };

  /// The value of an option: after its `=`, or the next word.
  Option value_at(const std::string& text, bool takes) const {
    Option option;
    option.field = &words_[at_];
    option.mark = words_[at_].mark;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      option.value = text.substr(equals + 1);
    } else if (takes && at_ + 1 < words_.size()) {
      option.field = &words_[at_ + 1];
      option.value = option.field->text();
      option.mark = option.field->mark;
      option.width = 2;
    }
    return option;
  }

  NodeRank node_rank(const Option& option) const {
    NodeRank rank;
    rank.mark = option.mark;
    const auto value = shell::whole_number(option.value);
    rank.value = option.field->known() ? value : std::nullopt;
    for (const shell::Piece& piece : option.field->pieces) {
      const bool of_task = std::ranges::any_of(piece.needs, [](const std::string& need) {
        return text::is_one_of(need, {"${SLURM_NODEID}", "${SLURM_PROCID}"});
      });
      rank.of_task = rank.of_task || of_task;
      rank.before_srun = rank.before_srun || (of_task && piece.before_srun);
    }
    return rank;
  }

  std::optional<Count> count(const Option& option) {
    const auto value = option.field->known() ? shell::whole_number(option.value) : std::nullopt;
    if (!value || *value < 1) {
      out_.processes.elastic = true;
      return std::nullopt;
    }
    return Count{*value, option.mark};
  }

  void wrapper() {
    const std::string text = words_[at_].text();
    std::size_t width = 1;
    if (allots_ && text::is_one_of(text, {"hetjob", "packjob"})) {
      mixed_ = true;
    } else if (starter_ == Starter::slurm && text.starts_with("-")) {
      width = slurm_option(text);
    } else if (starter_ == Starter::mpi && text.starts_with("-")) {
      width = mpi_option(text);
    } else if (starter_ == Starter::env) {
      const bool flagged = text == "-e" || text == "--env";
      at_ += flagged && at_ + 1 < words_.size() ? 1U : 0U;
      add_variables(words_[at_], text.starts_with("--env=") ? 6 : 0, out_.variables);
    }
    at_ += width;
  }

  /// "gpu:8", "gpu:h100:8", "lscratch:100,gpu:8", "h100:8" → "8"; "" without GPUs.
  static std::string gpus_in(std::string_view list, bool resources) {
    while (resources && !list.starts_with("gpu") && !list.empty()) {
      list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1);
    }
    const std::string_view first = list.substr(0, list.find(','));
    return std::string(first.substr(first.rfind(':') + 1));
  }

  std::size_t slurm_option(const std::string& text) {
    Processes& found = out_.processes;
    const std::string name = text.substr(0, text.find('='));
    const bool joined = text.size() > 2 && text[1] != '-';
    const std::string key = joined ? text.substr(0, 2) : name;
    std::optional<Count>* place = nullptr;
    if (key == "-N" || key == "--nodes") {
      place = &found.nodes;
    } else if (key == "-n" || key == "--ntasks") {
      place = &found.tasks;
      found.own_tasks = found.srun;
    } else if (key == "--ntasks-per-node") {
      place = &found.node_tasks;
    } else if (key == "--gpus-per-node" || key == "--gres") {
      place = &found.node_gpus;
    } else if (key == "--export") {
      const Option list = value_at(text, true);
      add_variable_list(*list.field, list.width == 2 ? 0 : text.find('=') + 1, out_.variables);
      return list.width;
    } else if (key == "--jobid" && found.srun) {  // a step of another job
      found.allocated_nodes.reset();
      found.node_gpus.reset();
      return value_at(text, true).width;
    } else {
      return 1;
    }
    Option option = value_at(text, !joined);
    if (joined && text.find('=') == std::string_view::npos) {
      option.value = text.substr(2);
    }
    if (key.starts_with("--g")) {
      option.value = gpus_in(option.value, key == "--gres");
    }
    *place = count(option);
    return option.width;
  }

  std::size_t mpi_option(const std::string& text) {
    if (text == "-x" && at_ + 1 < words_.size()) {
      ++at_;
      add_variables(words_[at_], 0, out_.variables);
      return 1;
    }
    if (text::is_one_of(text, {"-env", "--env", "-genv", "--genv"}) && at_ + 2 < words_.size()) {
      // NAME VALUE otherwise
      const bool whole = words_[at_ + 1].text().find('=') != std::string_view::npos;
      if (whole) {
        add_variables(words_[at_ + 1], 0, out_.variables);
      } else {
        out_.variables.insert_or_assign(words_[at_ + 1].text(), words_[at_ + 2]);
      }
      return whole ? 2 : 3;
    }
    if (!text::is_one_of(text, {"-n", "-np", "--np", "-c", "--n"})) {
      return 1;
    }
    const Option option = value_at(text, true);
    out_.processes.ranks = count(option);
    return option.width;
  }

  const std::vector<Given>& words_;
  std::size_t at_ = 0;
  Starter starter_ = Starter::none;
  bool allots_ = false;  // the words that come belong to sbatch
  bool mixed_ = false;   // the job has several parts, each with nodes of its own
  LaunchWords out_;
};

Ranks ranks_of(const std::optional<Count>& nodes, const Count& each) {
  return {nodes ? nodes->value : 1, each.value, each.mark};
}

}  // namespace

std::optional<Ranks> Processes::world() const {
  if (elastic && !(torch && torch_nodes && torch_ranks)) {
    return std::nullopt;
  }
  if (torch) {
    if (!torch_ranks) {
      return std::nullopt;
    }
    return ranks_of(torch_nodes, *torch_ranks);
  }
  if (ranks) {
    return ranks_of({}, *ranks);
  }
  if (tasks) {
    return ranks_of({}, *tasks);
  }
  if (nodes && node_tasks) {
    return ranks_of(nodes, *node_tasks);
  }
  return std::nullopt;
}

std::string program_name(const std::string& program) {
  return std::string(shell::base_name(program));
}

/// The only assignment that the word takes its text from; nowhere where several pieces do, or none.
text::Mark definition_of(const Given& field) {
  text::Mark definition;
  for (const shell::Piece& piece : field.pieces) {
    if (!piece.definition.nowhere()) {
      if (!definition.nowhere()) {
        return {};
      }
      definition = piece.definition;
    }
  }
  return definition;
}

Word word_of(const Given& field) {
  Word word{field.text(), field.mark};
  word.definition = definition_of(field);
  word.needs = field.needs();
  const bool caller = std::any_of(field.pieces.begin(),
                                  field.pieces.end(),
                                  [](const shell::Piece& piece) { return piece.caller; });
  word.origin = caller ? Origin::environment : Origin::written;
  return word;
}

std::optional<LaunchWords> launch_words(const std::vector<Given>& words) {
  return LaunchWordsReader(words).run();
}

const shell::Field* option(const LaunchWords& launch,
                           std::string_view name,
                           std::string_view short_name) {
  const std::vector<shell::Field>& words = launch.arguments;
  const auto holds = [](const std::string& text, std::string_view called) {
    return !called.empty() && text.starts_with(fmt::format("{}=", called));
  };
  for (std::size_t i = words.size(); i-- > 0;) {
    const std::string text = words[i].text();
    if ((text == name || (!short_name.empty() && text == short_name)) && i + 1 < words.size()) {
      return &words[i + 1];
    }
    if (holds(text, name) || holds(text, short_name)) {
      return &words[i];
    }
  }
  return nullptr;
}

std::string option_text(const shell::Field& field) {
  const std::string text = field.text();
  return text.starts_with("-") ? text.substr(text.find('=') + 1) : text;
}

void report_slip(Recipe& recipe, const shell::Field& named, const Request& request) {
  const std::string name = option_text(named);
  const auto nearest =
      named.known() && request.slip ? request.slip(name) : std::optional<std::string>();
  if (!nearest) {
    return;
  }
  recipe.diagnostics.push_back(
      {"recipe/missing-file",
       named.mark,
       fmt::format("{} does not exist, although its directory does{}",
                   name,
                   nearest->empty() ? "" : fmt::format(", did you mean `{}`?", *nearest)),
       {},
       "name an existing file, or add it"});
}

void report_refused(Recipe& recipe, const shell::Field& named, const Request& request) {
  const std::string reason =
      named.known() && request.refused ? request.refused(option_text(named)) : "";
  if (!reason.empty()) {
    recipe.diagnostics.push_back(
        {"recipe/unread-file", named.mark, reason, {}, "what it holds counts as unknown"});
  }
}

}  // namespace epwise::recipe
