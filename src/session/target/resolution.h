#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hw/machine.h"
#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "recipe/framework.h"
#include "recipe/vocabulary/vocabulary.h"
#include "session/host.h"
#include "session/settings/settings.h"

namespace epwise::session {

/// The machine that this process runs on, inspected on first use (`--hw auto`, `--stack auto`,
/// `epwise doctor`), since asking the driver and listing all installed packages take time. Safe to
/// use from several threads.
class ThisMachine {
 public:
  explicit ThisMachine(const Host& host) : host_(host) {}

  const hw::Machine& get() const;

  const os::Files& files() const { return host_.files; }

 private:
  Host host_;
  mutable std::once_flag once_;
  mutable hw::Machine machine_;
};

/// The tables of every framework version used by this run, each created once. Thread-safe;
/// references stay valid.
class Vocabularies {
 public:
  /// `version` empty: the newest known. `model_class` (Bridge): the `_target_` of the model
  /// section, whose defaults then apply; may be empty.
  const recipe::Vocabulary& get(recipe::Framework framework,
                                std::string_view version,
                                std::string_view model_class = {});

 private:
  using Key = std::tuple<recipe::Framework, std::string, std::string>;

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const recipe::Vocabulary>> made_;
};

/// The merged settings of all sources for one recipe.
struct ResolvedTarget {
  facts::Target target;
  std::optional<recipe::Framework> framework;
  std::string base;                          // path of the base recipe for overrides; may be empty
  std::vector<std::string> allowed_targets;  // prefixes, of all sources
  std::string model_config;  // a model's config.json, its folder or a public name; may be empty
};

/// A profile of the user's own. Throws os::UsageError with all problems of the file.
const hw::Profile& profile_in_file(const std::string& path, const os::Files& files);

/// Puts the sources together, the strongest first: flags and EPWISE_* variables, the recipe's
/// header, the entry of `targets`, the rest of the configuration. hw, gpus and framework come from
/// the strongest that names them; stack and env are joined name by name, except that a container or
/// `auto` in a stronger source replaces the stack of all weaker ones. `hw: auto` also gives the
/// number of GPUs of the job around this process, if none is given. Throws os::UsageError
/// for names that don't exist, texts that are not numbers, and an `auto` that found nothing, naming
/// the source and the nearest name.
ResolvedTarget resolve_target(std::span<const TargetSettings* const> sources,
                              const lint::Knowledge& knowledge,
                              const ThisMachine& machine);

/// A version that is newer than every release of its component in rules/tables/versions.yaml;
/// nullopt if it is not, or if the table does not have the component. The only place that decides
/// it. A version below the newest counts as known: 615.71.05 where the newest is 615.
std::optional<NewerRelease> newer_release(std::string_view component,
                                          std::string_view version,
                                          std::string_view source,
                                          const lint::Tables& tables);

/// All of them in a stack. Those that follow from another component are left out.
std::vector<NewerRelease> newer_releases(const recipe::Stack& stack, const lint::Tables& tables);

/// The version of `framework` in the stack; for Megatron-LM, its own or that of Megatron-Core,
/// which are released together. Empty if there is none.
std::string framework_version(const recipe::Stack& stack, recipe::Framework framework);

/// Both framework versions of a stack, which decide how a recipe is read: "0.6.2 0.17.0".
std::string versions_of(const recipe::Stack& stack);

/// GPU and number of GPUs: "h100 x 16", "h100", "16 GPUs"; empty if neither is known.
std::string machine_text(const facts::Target& target);

/// The target in one line without sources: "h100 x 16, te 2.14.0, no deepep".
std::string target_values(const facts::Target& target, recipe::Framework framework);

/// The target in one line, with its sources, without the framework, which reports name
/// themselves: "h100 x 16, te 2.14.0, no deepep (--hw, --gpus, --stack)".
std::string describe(const facts::Target& target, recipe::Framework framework);

}  // namespace epwise::session
