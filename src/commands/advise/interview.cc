#include "commands/advise/interview.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advise/moves.h"
#include "advise/starter.h"
#include "base/text/ascii.h"
#include "base/text/spelling.h"
#include "commands/advise/advising.h"
#include "hw/profile.h"
#include "lint/knowledge.h"
#include "recipe/models/model_config.h"
#include "session/files/overlay_files.h"
#include "session/options/arguments.h"
#include "session/settings/rules_source.h"
#include "session/settings/settings.h"
#include "session/target/resolution.h"
#include "ui/console.h"

namespace epwise::cli {

/// The models that can be chosen by name or number, one per line.
std::string model_list();

/// The questions of `epwise advise` for a starter recipe, and the answers. Must not be moved.
class StarterQuestions {
 public:
  /// The arguments' values are the defaults of the questions.
  StarterQuestions(const Console& console, const Arguments& arguments);

  StarterQuestions(const StarterQuestions&) = delete;
  StarterQuestions& operator=(const StarterQuestions&) = delete;

  /// In order; they store their answers in this object.
  std::vector<Step> steps();

  /// The index of the step that asks for the number of GPUs.
  std::size_t gpus_step() const { return gpus_step_; }

  const advise::Start& start() const { return start_; }

  /// In the syntax of --stack; empty: unknown.
  const std::string& stack() const { return stack_; }

 private:
  Question model_question();
  Question hardware_question();
  Question gpus_question();
  Question precision_question();
  Question framework_question();
  Question stack_question();
  void add_sizes(std::vector<Step>& steps);
  std::string newest_container() const;

  const Arguments& arguments_;
  lint::Knowledge knowledge_;
  ThisMachine machine_;
  advise::Start start_;
  std::string stack_;
  bool asks_sizes_ = false;
  std::size_t gpus_step_ = 0;
};

namespace {

std::string indented_lines(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') {
      result += "  ";
    }
  }
  return result;
}

}  // namespace

Interview::Outcome Interview::ask(const Question& question) {
  while (true) {
    out_ << question.text;
    if (!question.fallback.empty()) {
      out_ << fmt::format(" [{}]", question.fallback);
    }
    out_ << ": " << std::flush;
    std::string line;
    if (!std::getline(in_, line)) {
      out_ << '\n';
      return Outcome::quit;
    }
    std::string answer(text::trimmed(line, text::kWhitespace));
    if (answer == "quit" || answer == "back") {
      return answer == "quit" ? Outcome::quit : Outcome::back;
    }
    if (answer == "?") {
      out_ << indented_lines(question.help) << '\n';
      continue;
    }
    const std::string wrong = answer.empty() && question.fallback.empty()
                                  ? "an answer is required; ? explains"
                                  : question.take(answer.empty() ? question.fallback : answer);
    if (wrong.empty()) {
      return Outcome::answered;
    }
    out_ << indented_lines(wrong) << '\n';
  }
}

bool Interview::run(const std::vector<Step>& steps, std::size_t from) {
  const auto applies = [&](std::size_t at) { return !steps[at].applies || steps[at].applies(); };
  std::size_t at = from;
  while (at < steps.size()) {
    if (!applies(at)) {
      ++at;
      continue;
    }
    switch (ask(steps[at].question())) {
      case Outcome::quit:
        return false;
      case Outcome::answered:
        ++at;
        break;
      case Outcome::back: {
        std::size_t before = at;
        while (before > 0 && !applies(before - 1)) {
          --before;
        }
        if (before == 0) {
          out_ << "  this is the first question; quit exits\n";
        } else {
          at = before - 1;
        }
        break;
      }
    }
  }
  return true;
}

namespace {

using advise::KnownModel;

constexpr int kMostStarterGpus = 131'072;
constexpr int kMostSize = 10'000'000;
constexpr std::string_view kSizes = "sizes";

/// 0 if the text is not a number within the limits.
int number_up_to(const std::string& text, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && end == text.data() + text.size();
  return good && number >= 1 && number <= most ? number : 0;
}

/// Profiles with everything that the step model needs.
std::vector<std::string> hardware_names() {
  std::vector<std::string> names;
  for (const hw::Profile& profile : hw::profiles()) {
    if (!profile.partial) {
      names.push_back(profile.name);
    }
  }
  return names;
}

Question number_question(
    std::string text, int fallback, std::string help, int& value, int most, bool none = false) {
  return {std::move(text),
          std::to_string(fallback),
          std::move(help),
          [&value, most, none](const std::string& answer) -> std::string {
            const int number = number_up_to(answer, most);
            if (number == 0 && !(none && answer == "0")) {
              return fmt::format(
                  "expected a number from {} to {}, not `{}`", none ? 0 : 1, most, answer);
            }
            value = number;
            return "";
          }};
}

}  // namespace

std::string model_list() {
  std::string text = "Models:\n";
  const std::vector<KnownModel>& models = advise::knowledge().models;
  for (std::size_t i = 0; i < models.size(); ++i) {
    text += fmt::format("  {:>2}  {:<20} {:>6.4g} B parameters, {:.3g} B active\n",
                        i + 1,
                        models[i].name,
                        models[i].total,
                        models[i].active);
  }
  return text +
         fmt::format("  {:>2}  {:<20} another model, by its sizes\n", models.size() + 1, kSizes);
}

StarterQuestions::StarterQuestions(const Console& console, const Arguments& arguments)
    : arguments_(arguments),
      knowledge_(load_rules(console.files, arguments.one("--rules"))),
      machine_(console.host()) {}

std::vector<Step> StarterQuestions::steps() {
  std::vector<Step> steps;
  steps.push_back({[this] { return model_question(); }});
  add_sizes(steps);
  steps.push_back({[this] { return hardware_question(); }});
  gpus_step_ = steps.size();
  steps.push_back({[this] { return gpus_question(); }});
  steps.push_back({[this] {
    return number_question(
        "Sequence length", 4096, "Tokens per training sequence.", start_.sequence, kMostSize);
  }});
  steps.push_back({[this] {
    constexpr int kLeast = 256;
    return number_question("Global batch",
                           std::max(kLeast, 4 * start_.gpus),
                           "Sequences per optimizer step, over all GPUs. No plan changes it.",
                           start_.global_batch,
                           kMostSize);
  }});
  steps.push_back({[this] { return precision_question(); }});
  steps.push_back({[this] { return framework_question(); }});
  steps.push_back({[this] { return stack_question(); }});
  return steps;
}

Question StarterQuestions::model_question() {
  const std::vector<KnownModel>& models = advise::knowledge().models;
  return {
      "Model",
      models.front().name,
      model_list() + "A name or number from this list. Sizes are from the published config.json.",
      [this, &models](const std::string& answer) -> std::string {
        const int number = number_up_to(answer, static_cast<int>(models.size()) + 1);
        asks_sizes_ = answer == kSizes || number == static_cast<int>(models.size()) + 1;
        if (asks_sizes_) {
          start_.model = {};
          start_.model.name = "my-model";
          return "";
        }
        const auto found = number > 0 ? models.begin() + (number - 1)
                                      : std::ranges::find(models, answer, &KnownModel::name);
        if (found == models.end()) {
          std::vector<std::string_view> names{kSizes};
          for (const KnownModel& model : models) {
            names.push_back(model.name);
          }
          return fmt::format("unknown model `{}`{}", answer, text::did_you_mean(answer, names));
        }
        start_.model = *found;
        return "";
      }};
}

void StarterQuestions::add_sizes(std::vector<Step>& steps) {
  struct Size {
    const char* text;
    int fallback;
    const char* help;
    int KnownModel::*member;
    bool none;  // 0 is an answer
  };

  static constexpr std::array<Size, 10> kAsked{{
      {"Layers", 48, "Transformer layers, all with experts.", &KnownModel::layers, false},
      {"Hidden size", 2048, "Width of a token between layers.", &KnownModel::hidden, false},
      {"Attention heads", 32, "Query heads.", &KnownModel::heads, false},
      {"Key and value heads", 4, "Query groups: key and value heads.", &KnownModel::groups, false},
      {"Head dimension", 128, "Channels per head.", &KnownModel::head, false},
      {"Experts",
       128,
       "Routed experts per layer, without the shared expert.",
       &KnownModel::experts,
       false},
      {"Active experts", 8, "Experts per token (top k).", &KnownModel::topk, false},
      {"Width of an expert",
       768,
       "Its hidden size (moe_ffn_hidden_size).",
       &KnownModel::ffn,
       false},
      {"Width of the shared expert", 0, "0: none.", &KnownModel::shared, true},
      {"Vocabulary", 151936, "Vocabulary size of the tokenizer.", &KnownModel::vocabulary, false},
  }};
  for (const Size& size : kAsked) {
    steps.push_back({[this, size] {
                       return number_question(size.text,
                                              size.fallback,
                                              size.help,
                                              start_.model.*size.member,
                                              kMostSize,
                                              size.none);
                     },
                     [this] { return asks_sizes_; }});
  }
}

Question StarterQuestions::hardware_question() {
  const std::vector<std::string> names = hardware_names();
  return {"Hardware",
          arguments_.text_of("--hw", "h100"),
          fmt::format("The GPUs: {}. `epwise hw list` shows the facts known about each.",
                      fmt::join(names, ", ")),
          [this, names](const std::string& answer) -> std::string {
            const hw::Profile* profile = hw::find_profile(answer);
            if (profile == nullptr || profile->partial) {
              const std::vector<std::string_view> views(names.begin(), names.end());
              return fmt::format(
                  "unknown hardware `{}`{}", answer, text::did_you_mean(answer, views));
            }
            start_.hw = profile;
            return "";
          }};
}

Question StarterQuestions::gpus_question() {
  const int sensible = advise::sensible_gpus(start_.model, *start_.hw);
  return {"GPUs",
          arguments_.text_of("--gpus", std::to_string(sensible)),
          fmt::format("Over all nodes, {} per node. With {} GPUs the model states fill less than "
                      "half of the memory.",
                      start_.hw->gpus_per_node,
                      sensible),
          [this](const std::string& answer) -> std::string {
            start_.gpus = number_up_to(answer, kMostStarterGpus);
            return start_.gpus > 0
                       ? ""
                       : fmt::format(
                             "expected a number from 1 to {}, not `{}`", kMostStarterGpus, answer);
          }};
}

Question StarterQuestions::precision_question() {
  return {"Precision",
          "bf16",
          "bf16: bring this up first. fp8: GEMMs in 8 bits, blockwise on Hopper and MXFP8 on "
          "Blackwell; it changes the numerics.",
          [this](const std::string& answer) -> std::string {
            start_.fp8 = answer == "fp8";
            const bool able = start_.hw->compute_capability >= 9;
            return answer == "bf16" || (answer == "fp8" && able) ? ""
                   : answer == "fp8" ? fmt::format("{} has no FP8", start_.hw->title)
                                     : fmt::format("expected bf16 or fp8, not `{}`", answer);
          }};
}

Question StarterQuestions::framework_question() {
  return {"Framework",
          arguments_.text_of("--framework", "bridge"),
          "bridge: overrides for a Megatron-Bridge recipe. mlm: Megatron-LM arguments.",
          [this](const std::string& answer) -> std::string {
            start_.megatron_lm = answer == "mlm";
            return answer == "bridge" || answer == "mlm"
                       ? ""
                       : fmt::format("expected bridge or mlm, not `{}`", answer);
          }};
}

namespace {

/// "nemo-26.06", not "nemo-rl-0.5.0": a container with Megatron-Bridge.
bool is_nemo(std::string_view container) {
  constexpr std::string_view kName = "nemo-";
  return container.starts_with(kName) && container.size() > kName.size() &&
         text::is_digit(container[kName.size()]);
}

}  // namespace

/// The newest container with Megatron-Bridge.
std::string StarterQuestions::newest_container() const {
  std::string newest;
  for (const lint::Container& container : knowledge_.containers) {
    if (is_nemo(container.name) && container.name > newest) {
      newest = container.name;
    }
  }
  return newest.empty() ? "unknown" : newest;
}

Question StarterQuestions::stack_question() {
  std::vector<std::string_view> names;
  for (const lint::Container& container : knowledge_.containers) {
    names.push_back(container.name);
  }
  return {"Stack",
          arguments_.text_of("--stack", start_.megatron_lm ? "unknown" : newest_container()),
          fmt::format("Software of the job: a container ({}), versions (te=2.14.0,torch=2.11.0), "
                      "both, or unknown; if unknown, rules about versions are skipped.",
                      fmt::join(names, ", ")),
          [this](const std::string& answer) -> std::string {
            TargetSettings settings;
            stack_.clear();
            if (answer == "unknown") {
              return "";
            }
            try {
              settings.stack = split_list({answer, "Stack"});
              const std::array<const TargetSettings*, 1> sources{&settings};
              resolve_target(sources, knowledge_, machine_);
            } catch (const os::UsageError& error) {
              return error.what();
            }
            stack_ = answer;
            return "";
          }};
}

namespace {

class AdviceInterview {
 public:
  AdviceInterview(Console& console, const Arguments& arguments)
      : console_(console),
        arguments_(arguments),
        questions_(console, arguments) {}

  ExitCode run(const std::function<Advised(Console&, const Arguments&)>& advise) {
    console_.err << "epwise advise: no recipe given; a few questions lead to a starter recipe.\n"
                    "Enter accepts the value in brackets; also: ? (explain), back, quit.\n"
                    "\n"
                 << model_list();
    const std::vector<Step> steps = questions_.steps();
    Interview interview(console_.in, console_.err);
    std::size_t from = 0;
    while (interview.run(steps, from)) {
      console_.err << "searching for a layout that fits ...\n";
      std::string problem;
      if (const auto starter = find(problem)) {
        return finish(interview, *starter, advise);
      }
      console_.err << fmt::format("  {}: more GPUs, or other hardware?\n", problem);
      from = questions_.gpus_step();
    }
    console_.err << "epwise: no advice given\n";
    return ExitCode::clean;
  }

 private:
  const advise::Start& start() const { return questions_.start(); }

  std::string file_name() const {
    return fmt::format("{}-{}-{}.yaml", start().model.name, start().hw->name, start().gpus);
  }

  Arguments answered() const {
    Arguments arguments = arguments_;
    arguments.operands = {file_name()};
    arguments.add("--hw", {start().hw->name, "your answer"});
    arguments.add("--gpus", {std::to_string(start().gpus), "your answer"});
    arguments.add("--framework", {start().megatron_lm ? "mlm" : "bridge", "your answer"});
    if (!questions_.stack().empty()) {
      arguments.add("--stack", {questions_.stack(), "your answer"});
    }
    return arguments;
  }

  Console with(os::Files& files) const {
    return {console_.in,
            console_.out,
            console_.err,
            files,
            console_.variables,
            console_.terminal,
            console_.devices,
            console_.interruption,
            console_.programs};
  }

  std::optional<advise::Starter> find(std::string& problem) {
    OverlayFiles files(console_.files, {{file_name(), advise::starter_text(start(), {})}});
    Console console = with(files);
    const AdvisedJob job(console, answered(), {.path = file_name(), .text = std::nullopt});
    return advise::find_starter(job.world(), start(), problem);
  }

  ExitCode finish(Interview& interview,
                  const advise::Starter& starter,
                  const std::function<Advised(Console&, const Arguments&)>& advise) {
    OverlayFiles files(console_.files, {{file_name(), starter.text}});
    Console console = with(files);
    const Advised advised = advise(console, answered());
    console_.out << std::flush;
    write(interview, starter.text, advised.planned);
    return advised.code;
  }

  void write(Interview& interview, const std::string& starter, const std::string& planned) {
    std::string choice;
    std::string path;
    const std::vector<Step> steps = {
        {[&]() -> Question {
          return {planned.empty() ? "Write the starter recipe (starter, no)"
                                  : "Write the recipe (starter, plan, no)",
                  "starter",
                  "starter: the recipe as analysed. plan: the recipe with the first plan applied. "
                  "no: write nothing.",
                  [&](const std::string& answer) -> std::string {
                    choice = answer;
                    const bool known = answer == "starter" || answer == "no" ||
                                       (answer == "plan" && !planned.empty());
                    return known ? "" : fmt::format("`{}` is not one of the choices", answer);
                  }};
        }},
        {[&]() -> Question {
           return {"File",
                   file_name(),
                   "Output file; an existing file is not overwritten.",
                   [&](const std::string& answer) -> std::string {
                     if (console_.files.is_file(answer) || console_.files.is_directory(answer)) {
                       return fmt::format("{} already exists; choose another name", answer);
                     }
                     path = answer;
                     return "";
                   }};
         },
         [&] { return choice != "no"; }}};
    if (!interview.run(steps) || choice == "no") {
      console_.err << "epwise: nothing written\n";
      return;
    }
    console_.files.write_atomically(path, choice == "plan" ? planned : starter);
    console_.err << fmt::format("epwise: wrote {}\n", path);
  }

  Console& console_;
  const Arguments& arguments_;
  StarterQuestions questions_;
};

}  // namespace

bool can_ask(const Console& console, const Arguments& arguments) {
  return console.terminal.in && console.terminal.err && !arguments.flag("--no-input");
}

ExitCode interview_for_advice(Console& console,
                              const Arguments& arguments,
                              const std::function<Advised(Console&, const Arguments&)>& advise) {
  return AdviceInterview(console, arguments).run(advise);
}

namespace {

/// By its name in the interview, or by its id on the Hugging Face hub.
advise::KnownModel known_model(const Arguments& arguments) {
  std::vector<std::string_view> names;
  const std::string wanted = arguments.text_of("--model", "");
  const std::string name = text::lower(wanted);
  for (const advise::KnownModel& model : advise::knowledge().models) {
    if (model.name == name || text::lower(model.source) == name) {
      return model;
    }
    names.push_back(model.name);
  }
  if (auto model = advise::public_known_model(wanted)) {
    return *std::move(model);
  }
  if (const auto dense = recipe::public_model(wanted)) {
    throw os::UsageError(
        fmt::format("--model: {} is not a mixture-of-experts model whose sizes are known; "
                    "`epwise models show {}` prints what is",
                    wanted,
                    dense->name));
  }
  if (wanted.empty()) {
    throw os::UsageError(
        "no recipe given: `epwise advise recipe.yaml --which dispatcher`, or `--model deepseek-v3 "
        "--hw gb200 --gpus 256`");
  }
  throw os::UsageError(
      fmt::format("--model: no model `{}`{}; `epwise models list` prints the ids that are known",
                  wanted,
                  text::did_you_mean(wanted, names)));
}

int count_of(const Arguments& arguments, const char* option, int otherwise) {
  const auto setting = arguments.one(option);
  if (!setting) {
    return otherwise;
  }
  int number = 0;
  const std::string& text = setting->value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    throw os::UsageError(fmt::format("{}: expected a number, not `{}`", setting->source, text));
  }
  return number;
}

}  // namespace

ExitCode with_starter(Console& console, const Arguments& arguments, const StarterUse& use) {
  advise::Start start;
  start.model = known_model(arguments);
  start.hw = hw::find_profile(arguments.text_of("--hw", ""));
  if (start.hw == nullptr) {
    throw os::UsageError(
        fmt::format("no hardware given: `epwise advise --which dispatcher --model {} --hw gb200`",
                    start.model.name));
  }
  start.gpus = count_of(arguments, "--gpus", advise::sensible_gpus(start.model, *start.hw));
  start.expert = count_of(arguments, "--ep", 0);
  if (const std::string wrong = advise::indivisible(start); !wrong.empty()) {
    throw os::UsageError(wrong);
  }
  const int batch = std::max(start.global_batch, 8 * start.gpus);
  start.global_batch = (batch + start.gpus - 1) / start.gpus * start.gpus;
  const std::string name =
      fmt::format("{}-{}-{}.yaml", start.model.name, start.hw->name, start.gpus);
  Arguments given = arguments;
  given.operands = {name};
  if (!arguments.one("--gpus")) {
    given.add("--gpus", {std::to_string(start.gpus), "the model's size"});
  }
  given.add("--framework", {"bridge", "the starter recipe"});
  const auto overlaid = [&](const std::string& text, const auto& work) {
    OverlayFiles files(console.files, {{name, text}});
    Console on = console.with(files);
    return work(on);
  };
  std::string problem;
  const auto starter = overlaid(advise::starter_text(start, {}), [&](Console& on) {
    const AdvisedJob job(on, given, {.path = name, .text = std::nullopt});
    return advise::find_starter(job.world(), start, problem);
  });
  if (!starter) {
    console.err << fmt::format("epwise: {}\n", problem);
    return ExitCode::findings;
  }
  const std::string simulated =
      fmt::format("a starter recipe, the fastest of the plain layouts that fit: {}",
                  advise::layout_words(start, starter->layout));
  return overlaid(starter->text, [&](Console& on) { return use(on, given, simulated); });
}

}  // namespace epwise::cli
