#include "repair/elsewhere.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/profile.h"
#include "lint/influence.h"
#include "repair/judge.h"
#include "units/version.h"

namespace epwise::repair {

namespace {

constexpr std::size_t kMostProfiles = 3;

/// Numbers of GPUs worth a try, the nearest first: whole nodes more and fewer, twice and half.
std::vector<int> numbers_near(int gpus, int node) {
  std::set<int> numbers;
  constexpr int kNodes = 8;
  for (int i = 1; i <= kNodes; ++i) {
    numbers.insert({gpus - i * node, gpus + i * node, gpus << std::min(i, 3)});
    numbers.insert(gpus % (1 << std::min(i, 3)) == 0 ? gpus >> std::min(i, 3) : gpus);
  }
  numbers.erase(gpus);
  std::vector<int> near;
  std::ranges::copy_if(numbers, std::back_inserter(near), [](int number) { return number > 0; });
  std::ranges::stable_sort(near, {}, [gpus](int number) { return std::abs(number - gpus); });
  return near;
}

/// Without the build behind "+": "2.9.0+70f53666" → "2.9.0".
std::string release_of(std::string_view component, std::string_view name) {
  if (!component.starts_with(name) || !component.substr(name.size()).starts_with('=')) {
    return "";
  }
  component.remove_prefix(name.size() + 1);
  return std::string(component.substr(0, component.find('+')));
}

/// Versions of a package in released containers: newer ones rising, then older ones falling.
std::vector<std::string> versions_near(const lint::Knowledge& knowledge,
                                       std::string_view name,
                                       const units::Version& now) {
  std::vector<units::Version> all;
  for (const auto& container : knowledge.containers) {
    for (const auto component : container.components) {
      const std::string release = release_of(component, name);
      const auto version = release.empty() ? std::nullopt : units::Version::parse(release);
      if (version && std::ranges::find(all, *version) == all.end() && !(*version == now)) {
        all.push_back(*version);
      }
    }
  }
  std::ranges::sort(all, [&now](const units::Version& a, const units::Version& b) {
    const bool newer = now < a;
    return newer != (now < b) ? newer : (newer ? a < b : b < a);
  });
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const auto& version : all) {
    texts.push_back(version.text());
  }
  return texts;
}

class Explorer {
 public:
  Explorer(const Bench& bench, const recipe::Recipe& recipe, const lint::Result& result)
      : bench_(bench),
        influence_(bench.knowledge, recipe.framework, "", {&bench.vocabulary_of(recipe)}),
        judge_(bench, recipe, result) {}

  void explore(lint::Finding& finding) {
    for (const auto& [name, component] : bench_.target.stack.components()) {
      const bool framework = name == "bridge" || name == "mlm" || name == "mcore";
      if (!framework && component.version && matters(finding, "stack." + name)) {
        explore_versions(finding, name, *component.version);
      }
    }
    if (bench_.target.hw != nullptr && depends_on_hardware(finding)) {
      explore_hardware(finding);
    }
    if (bench_.target.gpus && matters(finding, "gpus")) {
      explore_numbers(finding);
    }
  }

 private:
  bool matters(const lint::Finding& finding, const std::string& name) {
    return !finding.rule->builtin && influence_.reaches(name, *finding.rule);
  }

  bool depends_on_hardware(const lint::Finding& finding) {
    for (const char* name : {"hw.arch", "hw.cc", "hw.cc_major", "hw.name", "hw.nvlink_domain"}) {
      if (matters(finding, name)) {
        return true;
      }
    }
    return false;
  }

  bool settles(const lint::Finding& finding, const model::Target& target) {
    return is_better(judge_.before(), judge_.on(target), name_of(finding));
  }

  void explore_versions(lint::Finding& finding,
                        const std::string& name,
                        const units::Version& now) {
    for (const std::string& version : versions_near(bench_.knowledge, name, now)) {
      model::Target target = bench_.target;
      target.stack.set(name, version, "");
      if (settles(finding, target)) {
        finding.elsewhere.push_back(name + " " + version);
        return;
      }
    }
  }

  /// The next of kin first: an H100 has more in common with an A100 than a GB200 has.
  std::vector<const hw::Profile*> kin() const {
    const hw::Profile& own = *bench_.target.hw;
    std::vector<const hw::Profile*> profiles;
    for (const hw::Profile& profile : hw::profiles()) {
      if (profile.name != own.name && !profile.partial) {
        profiles.push_back(&profile);
      }
    }
    std::ranges::stable_sort(profiles, {}, [&own](const hw::Profile* profile) {
      return std::tuple(distance_of(*profile, own), profile->name);
    });
    return profiles;
  }

  static std::pair<int, double> distance_of(const hw::Profile& profile, const hw::Profile& own) {
    return {std::abs(profile.nvlink_domain - own.nvlink_domain),
            std::fabs(profile.compute_capability - own.compute_capability)};
  }

  void explore_hardware(lint::Finding& finding) {
    std::string names;
    std::size_t count = 0;
    for (const hw::Profile* profile : kin()) {
      model::Target target = bench_.target;
      target.hw = profile;
      if (count < kMostProfiles && settles(finding, target)) {
        names += count == 0 ? "" : " or ";
        names += profile->name;
        ++count;
      }
    }
    if (count > 0) {
      finding.elsewhere.push_back(names);
    }
  }

  void explore_numbers(lint::Finding& finding) {
    const int node = bench_.target.hw == nullptr ? 8 : bench_.target.hw->gpus_per_node;
    for (const int gpus : numbers_near(*bench_.target.gpus, std::max(node, 1))) {
      model::Target target = bench_.target;
      target.gpus = gpus;
      if (settles(finding, target)) {
        finding.elsewhere.push_back(std::to_string(gpus) + " GPUs");
        return;
      }
    }
  }

  const Bench& bench_;
  lint::Influence influence_;
  Judge judge_;
};

}  // namespace

void find_elsewhere(const Bench& bench, const recipe::Recipe& recipe, lint::Result& result) {
  if (!recipe.readable) {
    return;
  }
  Explorer explorer(bench, recipe, result);
  for (lint::Finding& finding : result.findings) {
    if (finding.severity == lint::Severity::error) {
      explorer.explore(finding);
    }
  }
}

}  // namespace epwise::repair
