#include "recipe/launch/launch_words.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "recipe/launch/assignments.h"
#include "shell/arithmetic.h"

namespace epwise::recipe {
namespace {

using Given = shell::Field;

constexpr std::size_t npos = std::string_view::npos;

enum class Starter : std::uint8_t { none, slurm, mpi, torch, python, env };

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Starter starter_of(std::string_view name) {
  if (is_one_of<3>(name, {"sbatch", "srun", "salloc"})) {
    return Starter::slurm;
  }
  if (is_one_of<3>(name, {"mpirun", "mpiexec", "orterun"})) {
    return Starter::mpi;
  }
  if (name == "torchrun") {
    return Starter::torch;
  }
  if (is_one_of<7>(name,
                   {"env", "docker", "podman", "nerdctl", "singularity", "apptainer", "enroot"})) {
    return Starter::env;
  }
  const bool python = name == "python" || name.starts_with("python3") || name == "pypy3";
  return python ? Starter::python : Starter::none;
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

class Reader {
 public:
  explicit Reader(const std::vector<Given>& words) : words_(words) {}

  std::optional<LaunchWords> run() {
    while (at_ < words_.size()) {
      const std::string text = words_[at_].text();
      const Starter next = words_[at_].known() ? starter_of(program_name(text)) : Starter::none;
      if (is_swift_command(text)) {
        out_.program = "megatron " + words_[at_ + 1].text();
        take_arguments(at_ + 1);
        return std::move(out_);
      }
      if (next != Starter::none) {
        enter(next);
      } else if (starter_ == Starter::torch || starter_ == Starter::python) {
        if (program()) {
          return std::move(out_);
        }
      } else if (text.ends_with(".py") && !text.starts_with("-")) {
        take_program(at_);
        return std::move(out_);
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
    ++at_;
  }

  /// `megatron sft …`: ms-swift's command, which starts torchrun itself.
  bool is_swift_command(const std::string& text) const {
    return text == "megatron" && at_ + 1 < words_.size() &&
           is_one_of<4>(words_[at_ + 1].text(), {"pt", "sft", "rlhf", "export"});
  }

  void take_program(std::size_t at) {
    out_.program = words_[at].known() ? words_[at].text() : std::string();
    take_arguments(at);
  }

  void take_arguments(std::size_t at) {
    out_.arguments.assign(words_.begin() + static_cast<std::ptrdiff_t>(at) + 1, words_.end());
  }

  /// An option, or the program itself, behind torchrun or python.
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
    const bool bare = is_one_of<3>(name, {"--standalone", "--no-python", "--run-path"});
    const Option option = value_at(text, !bare);
    if (name == "--nnodes") {
      out_.processes.torch_nodes = count(option);
    } else if (name == "--nproc-per-node") {
      out_.processes.torch_ranks = count(option);
    }
    at_ += option.width;
  }

  // ---- options in front of a program

  struct Option {
    std::string value;
    const Given* field = nullptr;
    text::Mark mark;
    std::size_t width = 1;  // in words
  };

  /// What an option says: behind its `=`, or in the next word.
  Option value_at(const std::string& text, bool takes) const {
    Option option;
    option.field = &words_[at_];
    option.mark = words_[at_].mark;
    const std::size_t equals = text.find('=');
    if (equals != npos) {
      option.value = text.substr(equals + 1);
    } else if (takes && at_ + 1 < words_.size()) {
      option.field = &words_[at_ + 1];
      option.value = option.field->text();
      option.mark = option.field->mark;
      option.width = 2;
    }
    return option;
  }

  std::optional<Count> count(const Option& option) {
    const auto value = option.field->known() ? shell::whole_number(option.value) : std::nullopt;
    constexpr std::int64_t kMost = 1 << 24;
    if (!value || *value < 1 || *value > kMost) {
      out_.processes.elastic = true;
      return std::nullopt;
    }
    return Count{*value, option.mark};
  }

  void wrapper() {
    const std::string text = words_[at_].text();
    std::size_t width = 1;
    if (starter_ == Starter::slurm && text.starts_with("-")) {
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
    } else if (key == "--ntasks-per-node") {
      place = &found.node_tasks;
    } else if (key == "--gpus-per-node" || key == "--gres") {
      place = &found.node_gpus;
    } else if (key == "--export") {
      const Option list = value_at(text, true);
      add_variable_list(*list.field, list.width == 2 ? 0 : text.find('=') + 1, out_.variables);
      return list.width;
    } else {
      return 1;
    }
    Option option = value_at(text, !joined);
    if (joined && text.find('=') == npos) {
      option.value = text.substr(2);
    }
    if (key.starts_with("--g")) {  // gpu:8, gpu:h100:8, h100:8
      const bool other = key == "--gres" && !option.value.starts_with("gpu");
      option.value = other ? "" : option.value.substr(option.value.rfind(':') + 1);
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
    if (is_one_of<4>(text, {"-env", "--env", "-genv", "--genv"}) && at_ + 2 < words_.size()) {
      const bool whole = words_[at_ + 1].text().find('=') != npos;  // NAME VALUE otherwise
      if (whole) {
        add_variables(words_[at_ + 1], 0, out_.variables);
      } else {
        out_.variables.insert_or_assign(words_[at_ + 1].text(), words_[at_ + 2]);
      }
      return whole ? 2 : 3;
    }
    if (!is_one_of<5>(text, {"-n", "-np", "--np", "-c", "--n"})) {
      return 1;
    }
    const Option option = value_at(text, true);
    out_.processes.ranks = count(option);
    return option.width;
  }

  const std::vector<Given>& words_;
  std::size_t at_ = 0;
  Starter starter_ = Starter::none;
  LaunchWords out_;
};

Count product(const Count& a, const Count& b) {
  return {a.value * b.value, b.mark};
}

}  // namespace

std::optional<Count> Processes::world() const {
  if (elastic && !(torch && torch_nodes && torch_ranks)) {
    return std::nullopt;
  }
  if (torch) {
    if (!torch_ranks) {
      return std::nullopt;
    }
    return torch_nodes ? product(*torch_nodes, *torch_ranks) : torch_ranks;
  }
  if (ranks) {
    return ranks;
  }
  if (tasks) {
    return tasks;
  }
  if (nodes && node_tasks) {
    return product(*nodes, *node_tasks);
  }
  return std::nullopt;
}

std::string program_name(const std::string& program) {
  return program.substr(program.rfind('/') + 1);
}

Word word_of(const Given& field) {
  Word word{field.text(), field.mark};
  word.needs = field.needs();
  const bool caller = std::any_of(field.pieces.begin(),
                                  field.pieces.end(),
                                  [](const shell::Piece& piece) { return piece.caller; });
  word.origin = caller ? Origin::environment : Origin::written;
  return word;
}

std::optional<LaunchWords> launch_words(const std::vector<Given>& words) {
  return Reader(words).run();
}

}  // namespace epwise::recipe
