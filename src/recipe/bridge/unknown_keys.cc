#include "recipe/bridge/unknown_keys.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/abridgement.h"
#include "base/text/spelling.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

namespace {

// Each suggestion reads the whole vocabulary: enough for people, bounded for a file full of wrong
// keys.
constexpr std::size_t kKeySuggestions = 40;
constexpr std::size_t kLongestKey = 100;
constexpr int kSlip = 2;  // letters

/// Names directly below a path, with it.
std::vector<std::string_view> siblings(std::string_view parent, const Vocabulary& vocabulary) {
  std::vector<std::string_view> names;
  for (const FieldSpec& field : vocabulary.fields()) {
    if (parent_of(field.name) == parent) {
      names.push_back(field.name);
    }
  }
  return names;
}

/// Fields with the same last part elsewhere, nearest to the top first: "ddp.overlap_grad_reduce".
std::string elsewhere(std::string_view path, const Vocabulary& vocabulary) {
  std::vector<std::string_view> names;
  for (const FieldSpec& field : vocabulary.fields()) {
    if (last_part(field.name) == last_part(path) && field.name != path) {
      names.push_back(field.name);
    }
  }
  std::stable_sort(names.begin(), names.end(), [](std::string_view a, std::string_view b) {
    return std::count(a.begin(), a.end(), '.') < std::count(b.begin(), b.end(), '.');
  });
  if (names.empty()) {
    return {};
  }
  names.resize(std::min<std::size_t>(names.size(), 3));
  return fmt::format(", but `{}`", fmt::join(names, "`, `"));
}

/// A section whose keys are all spelt like environment variables.
bool names_variables(const ConfigNode& section) {
  const auto is_variable = [](const ConfigNode& key) {
    return !key.name.empty() && !key.is_mapping() &&
           key.name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  };
  return section.is_mapping() && !section.children.empty() &&
         std::all_of(section.children.begin(), section.children.end(), is_variable);
}

/// Fields of Megatron-Core's dataset that Bridge's constructors fill in. Two of them accept either
/// length, which hygiene/null-data-length checks.
bool is_optional(std::string_view field, std::string_view target) {
  const std::string_view name = last_part(target);
  return field == "dataset.sequence_length" ||
         (field == "dataset.seq_length" &&
          (name == "GPTDatasetConfig" || name == "GPTFIMDatasetConfig"));
}

class Judge {
 public:
  Judge(const Vocabulary& vocabulary, const std::vector<std::string>& unjudged)
      : vocabulary_(vocabulary),
        unjudged_(unjudged) {}

  UnknownKeys run(const ConfigNode& root) {
    dump_ = root.find("_target_") != nullptr;
    for (const ConfigNode& section : root.children) {
      if (!vocabulary_.knows(section.name)) {
        add(section.name,
            section,
            dump_ ? "correct the name or remove it; the loader silently drops it"
                  : "correct the name or remove it; it is skipped with a warning");
      } else if (std::find(unjudged_.begin(), unjudged_.end(), section.name) == unjudged_.end()) {
        judge(section, section.name);
      } else {
        look_for_slips(section);
      }
    }
    return std::move(found_);
  }

 private:
  /// An unknown class may have any field, but hardly one that is a misspelling of one that its
  /// section usually has and that is missing here.
  void look_for_slips(const ConfigNode& section) {
    for (const ConfigNode& key : section.children) {
      const std::string name = section.name + "." + key.name;
      if (vocabulary_.knows(name) || found_.paths.size() > kKeySuggestions) {
        continue;
      }
      const std::vector<std::string> near =
          text::nearest(name, siblings(section.name, vocabulary_), 1);
      if (!near.empty() && text::edit_distance(name, near.front()) <= kSlip &&
          section.find(last_part(near.front())) == nullptr) {
        found_.paths.push_back(name);
        found_.diagnostics.push_back(
            {"recipe/unknown-key",
             key.key,
             fmt::format("Megatron-Bridge {} has no `{}`, did you mean `{}`?",
                         vocabulary_.version(),
                         name,
                         near.front()),
             {},
             "correct the name, unless the section's own class has this field"});
      }
    }
  }

  void judge(const ConfigNode& section, const std::string& path) {
    if (!section.is_mapping()) {
      return;
    }
    const ConfigNode* target = section.find("_target_");
    const bool refuses = dump_ && target != nullptr && vocabulary_.refuses_keys(section.name);
    for (const ConfigNode& key : section.children) {
      const std::string name = path + "." + key.name;
      if (vocabulary_.knows(name)) {
        if (name == "model.transformer") {
          judge(key, name);
        }
      } else if (refuses && key.key.file == target->key.file) {  // overrides are set one by one
        refuse(name, key, last_part(target_of(section)));
      } else {
        add(name, key, "correct the name or remove it; the loader drops it with a warning");
      }
    }
    if (dump_ && target != nullptr && (path == "dataset" || path == "comm_overlap")) {
      report_missing(section);
    }
  }

  /// The data classes of other sections, but for models, have defaults for all fields.
  void report_missing(const ConfigNode& section) {
    const std::string prefix = section.name + ".";
    for (const FieldSpec& field : vocabulary_.fields()) {
      if (field.has_default || is_optional(field.name, target_of(section)) ||
          !field.name.starts_with(prefix)) {
        continue;
      }
      const std::string_view key = std::string_view(field.name).substr(prefix.size());
      if (key.find('.') == std::string_view::npos && section.find(key) == nullptr) {
        found_.diagnostics.push_back({"recipe/missing-field",
                                      section.key,
                                      fmt::format("{} needs `{}`, which has no default",
                                                  last_part(target_of(section)),
                                                  field.name)});
        return;
      }
    }
  }

  void add(const std::string& path, const ConfigNode& key, std::string_view help) {
    std::string meant = look_up(path);
    if (path == key.name && names_variables(key) && vocabulary_.has_section("env_vars")) {
      meant = ", did you mean `env_vars`?";
    }
    found_.diagnostics.push_back(
        {"recipe/unknown-key",
         key.key,
         fmt::format("Megatron-Bridge {} has no `{}`{}", vocabulary_.version(), path, meant),
         {},
         std::string(help)});
  }

  void refuse(const std::string& path, const ConfigNode& key, std::string_view class_name) {
    found_.diagnostics.push_back({"recipe/refused-key",
                                  key.key,
                                  fmt::format("{} of Megatron-Bridge {} rejects `{}`{}",
                                              class_name,
                                              vocabulary_.version(),
                                              path,
                                              look_up(path)),
                                  {},
                                  "correct the name or remove it"});
  }

  std::string look_up(const std::string& path) {
    found_.paths.push_back(path);
    return found_.paths.size() <= kKeySuggestions && path.size() <= kLongestKey
               ? meant_instead(path, vocabulary_)
               : std::string();
  }

  const Vocabulary& vocabulary_;
  const std::vector<std::string>& unjudged_;
  bool dump_ = false;
  UnknownKeys found_;
};

/// Whether a class cannot exist: its module is known, with all its classes, and this is not one of
/// them.
bool is_missing(std::string_view target, const Vocabulary& vocabulary) {
  bool module_known = false;
  for (const FieldSpec& section : vocabulary.fields()) {
    if (!vocabulary.has_section(section.name)) {
      continue;
    }
    for (const std::string_view name : vocabulary.classes_of(section.name)) {
      if (last_part(name) == last_part(target)) {
        return false;  // it may be imported there
      }
      module_known = module_known || parent_of(name) == parent_of(target);
    }
  }
  return module_known;
}

}  // namespace

std::string meant_instead(std::string_view path, const Vocabulary& vocabulary) {
  const std::string history = vocabulary.history(path);
  if (!history.empty()) {
    return fmt::format(" ({})", history);
  }
  const std::vector<std::string_view> classes = vocabulary.classes_with(path);
  if (!classes.empty()) {
    const std::size_t shown = std::min<std::size_t>(classes.size(), 3);
    return fmt::format(
        " (a field of {}{})",
        fmt::join(classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        shown < classes.size() ? ", …" : "");
  }
  std::string other = elsewhere(path, vocabulary);
  if (!other.empty()) {
    return other;
  }
  const auto names = siblings(parent_of(path), vocabulary);
  const auto longer = parent_of(path).empty() ? text::continued(path, names) : std::string_view();
  return longer.empty() ? text::did_you_mean(path, names)
                        : fmt::format(", did you mean `{}`?", longer);
}

text::Diagnostic unknown_class(const ConfigNode& section, const Vocabulary& vocabulary) {
  const std::string_view target = target_of(section);
  const std::vector<std::string_view> known = vocabulary.classes_of(section.name);
  const std::string history = vocabulary.history(target);
  // A class of more or fewer words is a different one, however similar: a vision model for a text
  // model.
  const auto words = [](std::string_view name) {
    return std::count_if(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  };
  std::vector<std::string_view> names;
  std::copy_if(known.begin(), known.end(), std::back_inserter(names), [&](std::string_view name) {
    return words(last_part(name)) == words(last_part(target));
  });
  std::vector<std::string_view> short_names;
  std::transform(names.begin(), names.end(), std::back_inserter(short_names), last_part);
  const std::vector<std::string> near = text::nearest(last_part(target), short_names, 1);
  std::string meant = history.empty() ? std::string() : fmt::format(" ({})", history);
  if (history.empty() && !near.empty()) {
    const auto at = std::find(short_names.begin(), short_names.end(), near.front());
    meant = fmt::format(", did you mean `{}`?",
                        names[static_cast<std::size_t>(at - short_names.begin())]);
  }
  const text::Mark mark = section.find("_target_")->mark;
  if (is_missing(target, vocabulary)) {
    return {"recipe/missing-class",
            mark,
            fmt::format("`{}` of Megatron-Bridge {} has no `{}`{}",
                        parent_of(target),
                        vocabulary.version(),
                        last_part(target),
                        meant),
            {},
            "name an existing class"};
  }
  return {"recipe/unknown-class",
          mark,
          fmt::format("class `{}` of section `{}` is not known for Megatron-Bridge {}{}",
                      target,
                      section.name,
                      vocabulary.version(),
                      meant),
          {},
          "its keys are accepted unless they look like misspellings of known ones; values that it "
          "does not set are unknown"};
}

UnknownKeys find_unknown_keys(const ConfigNode& root,
                              const Vocabulary& vocabulary,
                              const std::vector<std::string>& unjudged) {
  return Judge(vocabulary, unjudged).run(root);
}

namespace {

constexpr std::size_t kFewest = 12;  // fewer keys can be reported one by one
constexpr std::size_t kShownNames = 3;

struct Release {
  std::string_view version;
  std::vector<bool> knows;  // by unknown key
  std::size_t count = 0;
};

/// Whether some of the unknown keys are those of a section.
bool asks_about(std::string_view section, const UnknownKeys& unknown) {
  return std::ranges::any_of(unknown.paths, [&](std::string_view path) {
    return path.starts_with(section) && path.substr(section.size()).starts_with('.');
  });
}

/// The tables of a release, read once: a folder of old recipes asks for all releases in each.
const Vocabulary& tables_of(std::string_view version) {
  static std::mutex mutex;
  static std::map<std::string, Vocabulary, std::less<>> tables;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = tables.find(version);
  return found != tables.end()
             ? found->second
             : tables.emplace(version, Vocabulary::load(Framework::bridge, version)).first->second;
}

Release knowledge_of(std::string_view version, const ConfigNode& root, const UnknownKeys& unknown) {
  Vocabulary::Classes classes;
  for (const ConfigNode& section : root.children) {
    const std::string_view target = target_of(section);
    if (!target.empty() && asks_about(section.name, unknown)) {
      classes.emplace_back(section.name, target);
    }
  }
  const auto narrowed = tables_of(version).narrowed(classes);
  const Vocabulary& vocabulary = narrowed->vocabulary;
  Release release{version, {}, 0};
  for (std::size_t i = 0; i < unknown.diagnostics.size(); ++i) {
    const bool known =
        unknown.diagnostics[i].rule == "recipe/unknown-key" && vocabulary.knows(unknown.paths[i]);
    release.knows.push_back(known);
    release.count += known ? 1U : 0U;
  }
  return release;
}

/// Avoids loading the tables of all releases if nothing suggests another one.
bool any_known_elsewhere(const Vocabulary& vocabulary, const UnknownKeys& unknown) {
  return std::any_of(unknown.paths.begin(), unknown.paths.end(), [&](const std::string& path) {
    return !vocabulary.history(path).empty();
  });
}

}  // namespace

void fold_other_release(const ConfigNode& root,
                        const Vocabulary& vocabulary,
                        UnknownKeys& unknown) {
  if (unknown.diagnostics.empty() || !any_known_elsewhere(vocabulary, unknown)) {
    return;
  }
  Release best;
  for (const std::string_view version : Vocabulary::versions(Framework::bridge)) {
    Release release = knowledge_of(version, root, unknown);
    if (release.count >= best.count) {  // the newest of equals
      best = std::move(release);
    }
  }
  if (best.count * 5 < unknown.diagnostics.size() * 4) {
    return;
  }
  if (best.count < kFewest) {
    for (std::size_t i = 0; i < unknown.diagnostics.size(); ++i) {
      if (best.knows[i]) {
        unknown.diagnostics[i].help = fmt::format(
            "if the recipe is for that release, pass --stack bridge={}; otherwise remove it",
            best.version);
      }
    }
    return;
  }
  std::vector<text::Diagnostic> kept;
  std::vector<std::string> names;
  text::Mark first;
  for (std::size_t i = 0; i < unknown.diagnostics.size(); ++i) {
    if (!best.knows[i]) {
      kept.push_back(std::move(unknown.diagnostics[i]));
      continue;
    }
    first = names.empty() ? unknown.diagnostics[i].mark : first;
    if (names.size() < kShownNames) {
      names.push_back(unknown.paths[i]);
    }
  }
  kept.push_back(
      {"recipe/unknown-key",
       first,
       fmt::format("{} keys unknown to Megatron-Bridge {} exist in {}: `{}`, …",
                   best.count,
                   vocabulary.version(),
                   best.version,
                   fmt::join(names, "`, `")),
       {},
       fmt::format(
           "the loader drops them; if the recipe is for that release, pass --stack bridge={}",
           best.version)});
  unknown.diagnostics = std::move(kept);
}

}  // namespace epwise::recipe
