#include "lint/compiler.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/graph/dependency_graph.h"
#include "lint/launch_reader.h"
#include "lint/rule_reader.h"
#include "lint/tables_reader.h"
#include "recipe/stack.h"
#include "yaml/parse.h"

namespace epwise::lint {

namespace {

using Problems = std::vector<text::Diagnostic>;

/// The parsed tree of one file.
struct Tree {
  const KnowledgeFile* file = nullptr;
  yaml::Node root;
};

bool is_rule(std::string_view path) {
  return path != "derived.yaml" && !path.starts_with("launch/") && !path.starts_with("tables/") &&
         !path.starts_with("vocabulary/") && !path.starts_with("history/");
}

std::vector<Tree> parse_all(const std::vector<KnowledgeFile>& files, Problems& problems) {
  std::vector<Tree> trees;
  for (const auto& file : files) {
    if (file.path.starts_with("vocabulary/") || file.path.starts_with("history/")) {
      continue;
    }
    auto stream = yaml::parse(*file.source);
    problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
    if (stream.documents.size() == 1 && stream.documents.front().root.is_mapping()) {
      trees.push_back({&file, std::move(stream.documents.front().root)});
    } else {
      const auto size = static_cast<std::uint32_t>(file.source->bytes().size());
      problems.push_back(
          {"rules/invalid", {file.source.get(), 0, size}, "one mapping is expected in this file"});
    }
  }
  return trees;
}

/// References between rules and derived values as a graph: first the derived values, then the
/// rules.
class Links {
 public:
  explicit Links(const Knowledge& knowledge) : knowledge_(knowledge) {
    for (const auto& derived : knowledge.derived) {
      derived_nodes_[derived.slot].push_back(graph_.add_node(std::string(derived.name)));
    }
    for (const auto& rule : knowledge.rules) {
      graph_.add_node(std::string(rule.id));
    }
    for (std::size_t i = 0; i < knowledge.derived.size(); ++i) {
      add_reads(static_cast<int>(i), knowledge.derived[i].expression);
      for (const auto rule : knowledge.derived[i].premises) {
        graph_.add_edge(static_cast<int>(i), rule_node(rule));
      }
    }
    for (std::size_t i = 0; i < knowledge.rules.size(); ++i) {
      const auto node = rule_node(static_cast<int>(i));
      add_reads(node, knowledge.rules[i].given);
      add_reads(node, knowledge.rules[i].assertion);
      for (const auto rule : knowledge.rules[i].after) {
        graph_.add_edge(node, rule_node(rule));
      }
    }
  }

  const graph::DependencyGraph& graph() const { return graph_; }

  /// Premises of rule `index`, direct or through derived values.
  std::vector<std::int32_t> premises(int index) const {
    std::vector<std::int32_t> all;
    const auto first = static_cast<int>(knowledge_.derived.size());
    for (const int node : graph_.reachable(rule_node(index))) {
      if (node >= first) {
        all.push_back(node - first);
      }
    }
    return all;
  }

 private:
  int rule_node(int index) const { return static_cast<int>(knowledge_.derived.size()) + index; }

  void add_reads(int node, const expr::Expression& expression) {
    for (const auto slot : expression.names()) {
      const auto found = derived_nodes_.find(slot);
      if (found != derived_nodes_.end()) {
        for (const int derived : found->second) {
          graph_.add_edge(node, derived);
        }
      }
    }
  }

  const Knowledge& knowledge_;
  graph::DependencyGraph graph_;
  std::map<expr::NameSlot, std::vector<int>> derived_nodes_;
};

std::map<std::string_view, std::int32_t> index_of_rules(const Knowledge& knowledge) {
  std::map<std::string_view, std::int32_t> index;
  for (std::size_t i = 0; i < knowledge.rules.size(); ++i) {
    index[knowledge.rules[i].id] = static_cast<std::int32_t>(i);
  }
  return index;
}

std::vector<std::int32_t> resolve(const std::vector<NameUse>& uses,
                                  const std::map<std::string_view, std::int32_t>& index,
                                  Problems& problems) {
  std::vector<std::int32_t> all;
  for (const auto& use : uses) {
    const auto found = index.find(use.name);
    if (found == index.end()) {
      problems.push_back({"rules/invalid", use.mark, "unknown rule `" + use.name + "`"});
    } else {
      all.push_back(found->second);
    }
  }
  return all;
}

void check_codes(const Knowledge& knowledge,
                 const std::map<std::string_view, text::Mark>& marks,
                 Problems& problems) {
  std::map<std::string_view, std::string_view> owner;
  for (const auto& rule : knowledge.rules) {
    auto codes = rule.aliases;
    codes.push_back(rule.code);
    for (const auto code : codes) {
      const auto [entry, added] = owner.try_emplace(code, rule.id);
      if (!added) {
        const auto mark = marks.find(rule.id);
        problems.push_back({"rules/invalid",
                            mark == marks.end() ? text::Mark{} : mark->second,
                            "code " + std::string(code) + " belongs to " +
                                std::string(entry->second) + " already"});
      }
    }
  }
}

void check_places(const Knowledge& knowledge,
                  const std::map<std::string_view, text::Mark>& marks,
                  Problems& problems) {
  std::set<std::pair<std::string_view, std::string_view>> stages;
  for (const auto& pipeline : knowledge.pipelines) {
    for (const auto& stage : pipeline.stages) {
      stages.insert({pipeline.framework, stage.name});
    }
  }
  for (const auto& rule : knowledge.rules) {
    for (const auto& place : rule.places) {
      const auto mark = marks.find(rule.id);
      if (!stages.contains({place.framework, place.stage}) && mark != marks.end()) {
        problems.push_back({"rules/invalid",
                            mark->second,
                            "unknown launch stage `" + std::string(place.stage) + "` of " +
                                std::string(place.framework)});
      }
    }
  }
}

/// Reads rule files and adds them to the table, sorted by id.
std::vector<SourceRule> read_rules(const std::vector<Tree>& trees, Reading& reading) {
  std::vector<SourceRule> sources;
  for (const auto& tree : trees) {
    if (is_rule(tree.file->path)) {
      const std::string_view path = tree.file->path;
      sources.push_back(read_rule(tree.root, path.substr(0, path.rfind('.')), reading));
    }
  }
  std::ranges::sort(sources, {}, [](const SourceRule& source) { return source.rule.id; });
  return sources;
}

/// Everything that needs the whole table: references to rules, stages, codes, cycles, premises.
void link(Knowledge& knowledge,
          const std::vector<SourceRule>& sources,
          const std::vector<SourceDerived>& derived,
          Problems& problems) {
  const auto index = index_of_rules(knowledge);
  std::map<std::string_view, text::Mark> marks;
  for (const auto& source : sources) {
    marks[source.rule.id] = source.mark;
    knowledge.rules[static_cast<std::size_t>(index.at(source.rule.id))].after =
        resolve(source.after, index, problems);
  }
  for (std::size_t i = 0; i < derived.size(); ++i) {
    knowledge.derived[i].premises = resolve(derived[i].needs, index, problems);
  }
  check_codes(knowledge, marks, problems);
  check_places(knowledge, marks, problems);
  const Links links(knowledge);
  const auto cycle = links.graph().cycle();
  if (!cycle.empty()) {
    std::string way;
    for (const auto& name : cycle) {
      way += (way.empty() ? "" : " → ") + name;
    }
    problems.push_back(
        {"rules/invalid", {}, "rules and derived values depend on each other in a cycle: " + way});
    return;
  }
  for (std::size_t i = 0; i < knowledge.rules.size(); ++i) {
    knowledge.rules[i].premises = links.premises(static_cast<int>(i));
  }
}

/// Slots of derived values known to already compiled rules keep their types.
NameScope scope_of(const Knowledge& knowledge) {
  NameScope scope;
  for (const auto& derived : knowledge.derived) {
    scope.add_derived(derived.name, derived.type);
  }
  for (const auto& pipeline : knowledge.pipelines) {
    for (const auto slot : pipeline.created) {
      scope.add_derived(knowledge.names.name(slot), expr::Type{});
    }
  }
  return scope;
}

}  // namespace

Knowledge compile(const std::vector<KnowledgeFile>& files, Problems& problems) {
  Knowledge knowledge;
  const auto trees = parse_all(files, problems);
  NameScope names;
  for (const auto& tree : trees) {
    if (tree.file->path == "derived.yaml") {
      declare_derived(tree.root, names, problems);
    } else if (tree.file->path.starts_with("launch/")) {
      declare_created(tree.root, names, problems);
    }
  }
  const auto scope = names.scope();
  Reading reading{knowledge.names, knowledge.texts, scope, problems};
  std::vector<SourceDerived> derived;
  const std::string_view releases = "tables/releases.yaml";  // derived values depend on it
  for (const auto& tree : trees) {
    if (tree.file->path == releases) {
      read_table(releases, tree.root, knowledge.tables, reading);
    }
  }
  for (const auto& tree : trees) {
    const auto& path = tree.file->path;
    if (path == "derived.yaml") {
      derived = read_derived(tree.root, knowledge.tables.pins, reading);
    } else if (path.starts_with("launch/")) {
      knowledge.pipelines.push_back(read_pipeline(tree.root, names, reading));
    } else if (path == "tables/containers.yaml") {
      knowledge.containers = read_containers(tree.root, reading);
    } else if (path != releases) {
      read_table(path, tree.root, knowledge.tables, reading);
    }
  }
  for (const auto& source : derived) {
    knowledge.derived.push_back(source.derived);
  }
  const auto sources = read_rules(trees, reading);
  for (const auto& source : sources) {
    knowledge.rules.push_back(source.rule);
  }
  link(knowledge, sources, derived, problems);
  check_catalogue(knowledge, problems);
  check_troubles(knowledge, problems);
  return knowledge;
}

void add_rules(Knowledge& knowledge, const std::vector<KnowledgeFile>& files, Problems& problems) {
  const auto trees = parse_all(files, problems);
  const auto names = scope_of(knowledge);
  const auto scope = names.scope();
  Reading reading{knowledge.names, knowledge.texts, scope, problems};
  const auto sources = read_rules(trees, reading);
  // Rules refer to each other by index: existing ones keep theirs, new ones are appended.
  for (const auto& source : sources) {
    const auto same = std::ranges::find(knowledge.rules, source.rule.id, &Rule::id);
    if (same != knowledge.rules.end()) {
      *same = source.rule;
    } else {
      knowledge.rules.push_back(source.rule);
    }
  }
  link(knowledge, sources, {}, problems);
}

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
    Fixed{"trainer.", Kind::any},
    Fixed{"dataset.dataset_kwargs.", Kind::any},
};

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
  for (const auto component : recipe::Stack::known()) {
    types_["stack." + std::string(component)] = Type{Kind::version, units::Dimension::none, true};
  }
}

bool NameScope::add_derived(std::string_view name, const Type& type) {
  if (name.starts_with("stack.")) {
    return true;  // the assumption for a component whose version is not given
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
