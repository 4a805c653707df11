#include "lint/scope.h"

#include <array>

namespace epwise::lint {

namespace {

using expr::Kind;
using expr::Type;

struct Fixed {
  std::string_view name;
  Kind kind;
};

constexpr std::array kFixed = {
    Fixed{"fw", Kind::text},
    Fixed{"gpus", Kind::integer},
    Fixed{"purpose", Kind::text},
    Fixed{"stage", Kind::text},
    Fixed{"model_class", Kind::text},
    Fixed{"hw.arch", Kind::text},
    Fixed{"hw.name", Kind::text},
    Fixed{"hw.cc", Kind::real},
    Fixed{"hw.cc_major", Kind::integer},
    Fixed{"hw.nvlink_domain", Kind::integer},
    Fixed{"hw.gpus_per_node", Kind::integer},
    Fixed{"hw.sm_count", Kind::integer},
};

/// Groups whose members need not be listed.
constexpr std::array kOpenGroups = {
    Fixed{"env.", Kind::text},
    Fixed{"installed.", Kind::boolean},
    Fixed{"raw.", Kind::any},
    Fixed{"harness.", Kind::any},
    Fixed{"dataset.dataset_kwargs.", Kind::any},
};

constexpr std::array<std::string_view, 15> kComponents = {"bridge",
                                                          "mlm",
                                                          "mcore",
                                                          "te",
                                                          "torch",
                                                          "triton",
                                                          "cuda",
                                                          "nccl",
                                                          "deepep",
                                                          "hybridep",
                                                          "python",
                                                          "driver",
                                                          "ngc",
                                                          "nvshmem",
                                                          "nemo"};

}  // namespace

NameScope::NameScope() {
  for (const auto framework : {recipe::Framework::bridge, recipe::Framework::mlm}) {
    for (const auto version : recipe::Vocabulary::versions(framework)) {
      vocabularies_.push_back(recipe::Vocabulary::load(framework, version));
      for (const auto& field : vocabularies_.back().fields()) {
        const auto [entry, added] = types_.try_emplace(std::string(field.name), field.type);
        if (!added && entry->second.kind != field.type.kind) {
          entry->second.kind = Kind::any;
        }
      }
    }
  }
  for (const auto& fixed : kFixed) {
    types_[std::string(fixed.name)] = Type{fixed.kind, units::Dimension::none, false};
  }
  for (const auto component : kComponents) {
    types_["stack." + std::string(component)] = Type{Kind::version, units::Dimension::none, true};
  }
}

bool NameScope::add_derived(std::string_view name, const Type& type) {
  if (name.starts_with("stack.")) {
    return true;  // says what a component counts as when nobody gives its version
  }
  return types_.try_emplace(std::string(name), type).second;
}

std::optional<Type> NameScope::type_of(std::string_view name) const {
  if (const auto found = types_.find(name); found != types_.end()) {
    return found->second;
  }
  for (const auto& group : kOpenGroups) {
    if (name.starts_with(group.name) && name.size() > group.name.size()) {
      return Type{group.kind, units::Dimension::none, true};
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> NameScope::names() const {
  std::vector<std::string_view> all;
  all.reserve(types_.size());
  for (const auto& entry : types_) {
    all.emplace_back(entry.first);
  }
  return all;
}

expr::Scope NameScope::scope() const {
  return {[this](std::string_view name) { return type_of(name); }, [this] { return names(); }};
}

}  // namespace epwise::lint
