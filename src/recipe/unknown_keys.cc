#include "recipe/unknown_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "recipe/config_targets.h"
#include "text/abridgement.h"
#include "text/spelling.h"

namespace epwise::recipe {
namespace {

// Each suggestion reads the whole vocabulary: enough for people, bounded for a file full of wrong
// keys.
constexpr std::size_t kSuggestions = 40;
constexpr std::size_t kLongest = 100;

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

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
      }
    }
    return std::move(found_);
  }

 private:
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
    found_.diagnostics.push_back(
        {"recipe/unknown-key",
         key.key,
         fmt::format(
             "Megatron-Bridge {} has no `{}`{}", vocabulary_.version(), path, look_up(path)),
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
  std::vector<std::string_view> names;
  std::transform(known.begin(), known.end(), std::back_inserter(names), last_part);
  const std::vector<std::string> near = text::nearest(last_part(target), names, 1);
  std::string meant = history.empty() ? std::string() : fmt::format(" ({})", history);
  if (history.empty() && !near.empty()) {
    const auto at = std::find(names.begin(), names.end(), near.front()) - names.begin();
    meant = fmt::format(", did you mean `{}`?", known[static_cast<std::size_t>(at)]);
  }
  return {"recipe/unknown-class",
          section.find("_target_")->mark,
          fmt::format("no class `{}` for the section `{}` is known of Megatron-Bridge {}{}",
                      target,
                      section.name,
                      vocabulary.version(),
                      meant),
          {},
          "its keys are taken as they stand, none is called unknown, and defaults are those that "
          "the section has without it"};
}

UnknownKeys find_unknown_keys(const ConfigNode& root,
                              const Vocabulary& vocabulary,
                              const std::vector<std::string>& unjudged) {
  return Judge(vocabulary, unjudged).run(root);
}

}  // namespace epwise::recipe
