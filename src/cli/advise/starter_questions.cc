#include "cli/advise/starter_questions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advise/moves.h"
#include "cli/settings/rules_source.h"
#include "cli/settings/settings.h"
#include "cli/target/resolution.h"
#include "hw/profile.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

using advise::KnownModel;

constexpr int kMostGpus = 131'072;
constexpr int kMostSize = 10'000'000;
constexpr std::string_view kSizes = "sizes";

/// 0 where the text is no number within the limits.
int number_of(const std::string& text, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && end == text.data() + text.size();
  return good && number >= 1 && number <= most ? number : 0;
}

/// Profiles for which the step model has everything.
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
            const int number = number_of(answer, most);
            if (number == 0 && !(none && answer == "0")) {
              return fmt::format("a number from {} to {}, not `{}`", none ? 0 : 1, most, answer);
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

StarterQuestions::StarterQuestions(const Session& session, const Arguments& arguments)
    : arguments_(arguments),
      knowledge_(load_rules(session, arguments.one("--rules"))),
      machine_(session) {}

std::vector<Step> StarterQuestions::steps() {
  std::vector<Step> steps;
  steps.push_back({[this] { return model_question(); }});
  add_sizes(steps);
  steps.push_back({[this] { return hardware_question(); }});
  gpus_step_ = steps.size();
  steps.push_back({[this] { return gpus_question(); }});
  steps.push_back({[this] {
    return number_question(
        "Sequence length", 4096, "Tokens of one training sequence.", start_.sequence, kMostSize);
  }});
  steps.push_back({[this] {
    constexpr int kLeast = 256;
    return number_question("Global batch",
                           std::max(kLeast, 4 * start_.gpus),
                           "Sequences of one optimizer step, on all GPUs together. It stays as it "
                           "is whatever is advised.",
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
  return {"Model",
          models.front().name,
          model_list() +
              "A name or a number of this list. Sizes are those of the published "
              "config.json.",
          [this, &models](const std::string& answer) -> std::string {
            const int number = number_of(answer, static_cast<int>(models.size()) + 1);
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
              return fmt::format("no model `{}`{}", answer, text::did_you_mean(answer, names));
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
      {"Attention heads", 32, "Heads of queries.", &KnownModel::heads, false},
      {"Key and value heads",
       4,
       "Query groups: heads of keys and values.",
       &KnownModel::groups,
       false},
      {"Head dimension", 128, "Channels of one head.", &KnownModel::head, false},
      {"Experts",
       128,
       "Experts of one layer, without the shared one.",
       &KnownModel::experts,
       false},
      {"Active experts", 8, "Experts that one token goes to (top k).", &KnownModel::topk, false},
      {"Width of an expert",
       768,
       "Its hidden size (moe_ffn_hidden_size).",
       &KnownModel::ffn,
       false},
      {"Width of the shared expert", 0, "0: there is none.", &KnownModel::shared, true},
      {"Vocabulary", 151936, "Tokens of the tokenizer.", &KnownModel::vocabulary, false},
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
          fmt::format("The GPUs: {}. `epwise hw list` says what is known of each.",
                      fmt::join(names, ", ")),
          [this, names](const std::string& answer) -> std::string {
            const hw::Profile* profile = hw::find_profile(answer);
            if (profile == nullptr || profile->partial) {
              const std::vector<std::string_view> views(names.begin(), names.end());
              return fmt::format("no hardware `{}`{}", answer, text::did_you_mean(answer, views));
            }
            start_.hw = profile;
            return "";
          }};
}

Question StarterQuestions::gpus_question() {
  const int sensible = advise::sensible_gpus(start_.model, *start_.hw);
  return {"GPUs",
          arguments_.text_of("--gpus", std::to_string(sensible)),
          fmt::format("All nodes together, {} a node. With {} the model's states fill less than "
                      "half of the memory.",
                      start_.hw->gpus_per_node,
                      sensible),
          [this](const std::string& answer) -> std::string {
            start_.gpus = number_of(answer, kMostGpus);
            return start_.gpus > 0
                       ? ""
                       : fmt::format("a number from 1 to {}, not `{}`", kMostGpus, answer);
          }};
}

Question StarterQuestions::precision_question() {
  return {"Precision",
          "bf16",
          "bf16: bring this up first. fp8: matrix products in 8 bits, blocks on Hopper and MXFP8 "
          "on Blackwell; it changes the mathematics.",
          [this](const std::string& answer) -> std::string {
            start_.fp8 = answer == "fp8";
            const bool able = start_.hw->compute_capability >= 9;
            return answer == "bf16" || (answer == "fp8" && able) ? ""
                   : answer == "fp8" ? fmt::format("{} has no FP8", start_.hw->title)
                                     : fmt::format("bf16 or fp8, not `{}`", answer);
          }};
}

Question StarterQuestions::framework_question() {
  return {"Framework",
          arguments_.text_of("--framework", "bridge"),
          "bridge: overrides for a recipe of Megatron-Bridge. mlm: arguments of Megatron-LM.",
          [this](const std::string& answer) -> std::string {
            start_.megatron_lm = answer == "mlm";
            return answer == "bridge" || answer == "mlm"
                       ? ""
                       : fmt::format("bridge or mlm, not `{}`", answer);
          }};
}

/// The newest container with a Megatron-Bridge.
std::string StarterQuestions::newest_container() const {
  std::string newest;
  for (const lint::Container& container : knowledge_.containers) {
    if (container.name.starts_with("nemo-") && container.name > newest) {
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
          fmt::format("What the job runs in: a container ({}), versions (te=2.14.0,torch=2.11.0), "
                      "both, or unknown; then rules about versions stay open.",
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
            } catch (const world::UsageError& error) {
              return error.what();
            }
            stack_ = answer;
            return "";
          }};
}

}  // namespace epwise::cli
