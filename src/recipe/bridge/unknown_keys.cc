#include "recipe/bridge/unknown_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "recipe/bridge/config_targets.h"
#include "recipe/field_path.h"
#include "text/abridgement.h"
#include "text/spelling.h"

namespace epwise::recipe {
namespace {

// Each suggestion reads the whole vocabulary: enough for people, bounded for a file full of wrong
// keys.
constexpr std::size_t kSuggestions = 40;
constexpr std::size_t kLongest = 100;
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

/// Fields with the same last part in other places, nearest to the top first:
/// "ddp.overlap_grad_reduce".
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

/// A section whose keys are all written as variables of the environment are.
bool names_variables(const ConfigNode& section) {
  const auto is_variable = [](const ConfigNode& key) {
    return !key.name.empty() && !key.is_mapping() &&
           key.name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  };
  return section.is_mapping() && !section.children.empty() &&
         std::all_of(section.children.begin(), section.children.end(), is_variable);
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
            dump_ ? "correct the name or take it out: the loader drops it without a word"
                  : "correct the name or take it out: it is skipped with a warning");
      } else if (std::find(unjudged_.begin(), unjudged_.end(), section.name) == unjudged_.end()) {
        judge(section, section.name);
      } else {
        look_for_slips(section);
      }
    }
    return std::move(found_);
  }

 private:
  /// A class that is not known may have any field, but hardly one that is a slip of the pen away
  /// from one that its section usually has, and lacks here.
  void look_for_slips(const ConfigNode& section) {
    for (const ConfigNode& key : section.children) {
      const std::string name = section.name + "." + key.name;
      if (vocabulary_.knows(name) || found_.paths.size() > kSuggestions) {
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
             "correct the name, unless the section's own class has this one"});
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
        add(name, key, "correct the name or take it out: the loader drops it with a warning");
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
                                  fmt::format("{} of Megatron-Bridge {} refuses `{}`{}",
                                              class_name,
                                              vocabulary_.version(),
                                              path,
                                              look_up(path)),
                                  {},
                                  "correct the name or take it out"});
  }

  std::string look_up(const std::string& path) {
    found_.paths.push_back(path);
    return found_.paths.size() <= kSuggestions && path.size() <= kLongest
               ? meant_instead(path, vocabulary_)
               : std::string();
  }

  const Vocabulary& vocabulary_;
  const std::vector<std::string>& unjudged_;
  bool dump_ = false;
  UnknownKeys found_;
};

/// Whether a class can't be there: its module is known, with all its classes, and this is none of
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
  // A class of more or fewer words is another one, however near: a vision model for a text model.
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
            "name a class that is there"};
  }
  return {"recipe/unknown-class",
          mark,
          fmt::format("no class `{}` for the section `{}` is known of Megatron-Bridge {}{}",
                      target,
                      section.name,
                      vocabulary.version(),
                      meant),
          {},
          "its keys are taken as they stand, unless they are a slip away from a known one; what it "
          "leaves out is unknown"};
}

UnknownKeys find_unknown_keys(const ConfigNode& root,
                              const Vocabulary& vocabulary,
                              const std::vector<std::string>& unjudged) {
  return Judge(vocabulary, unjudged).run(root);
}

}  // namespace epwise::recipe
