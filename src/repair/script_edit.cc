#include "repair/script_edit.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace epwise::repair {

namespace {

using recipe::Field;
using recipe::Variable;
using text::Mark;

constexpr std::string_view kBlanks = " \t";

/// Bytes of the script that make place for others.
struct Splice {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

constexpr std::string_view kOthers = "_.,+:/@%=- ";

/// Text that the shell hands on as it is, quoted or not.
bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

class Editor {
 public:
  explicit Editor(const recipe::Recipe& recipe)
      : recipe_(recipe),
        file_(*recipe.files.front()),
        bytes_(file_.bytes()) {}

  void make(const WordEdit& edit) {
    if (edit.key.starts_with('$')) {
      set_variable(edit.key.substr(1), edit.values);
      return;
    }
    if (!edit.rename.empty()) {
      rename(edit.key, edit.rename);
      return;
    }
    const Field* field = find(edit.key);
    if (field == nullptr) {
      if (edit.values) {
        add(edit.key, *edit.values);
      }
    } else if (!is_written(*field)) {
      obstruct(fmt::format("{} is put together of variables", edit.key));
    } else if (edit.values) {
      replace(*field, *edit.values);
    } else {
      remove(field->key.begin, field->mark.end);
    }
  }

  std::string run(std::string& obstacle) {
    std::ranges::sort(splices_, {}, &Splice::begin);
    std::string result;
    std::size_t at = 0;
    for (const Splice& splice : splices_) {
      if (splice.begin < at) {
        obstruct("two changes meet in one place");
        break;
      }
      result += bytes_.substr(at, splice.begin - at);
      result += splice.text;
      at = splice.end;
    }
    result += bytes_.substr(at);
    obstacle = obstacle_;
    return obstacle.empty() ? result : std::string(bytes_);
  }

 private:
  void obstruct(std::string reason) {
    if (obstacle_.empty()) {
      obstacle_ = std::move(reason);
    }
  }

  std::string_view at(const Mark& mark) const {
    return bytes_.substr(mark.begin, mark.end - mark.begin);
  }

  bool is_here(const Mark& mark) const { return mark.file == &file_; }

  const Field* find(std::string_view spelling) const {
    for (const auto& [name, field] : recipe_.fields) {
      if (field.spelling == spelling && !field.key.nowhere()) {
        return &field;
      }
    }
    return nullptr;
  }

  /// Whether the script holds the name and the value letter by letter, one behind the other.
  bool is_written(const Field& field) const {
    if (!is_here(field.key) || !is_here(field.mark) || field.value.is_unknown() ||
        field.origin == recipe::Origin::environment) {
      return false;
    }
    const std::size_t name = field.spelling.find_first_not_of("+~");
    if (!at(field.key).starts_with(
            std::string_view(field.spelling).substr(std::min(name, field.spelling.size())))) {
      return false;
    }
    const bool bare = field.mark == field.key;
    return bare || (field.key.end <= field.mark.begin && is_plain(at(field.mark)));
  }

  /// Where a diagnostic's words begin with a key; npos where they don't.
  std::size_t place_of(const std::string& key, const Mark& mark) const {
    const std::string_view words = is_here(mark) ? at(mark) : std::string_view();
    const std::size_t begin = std::min(words.find_first_not_of("+~\"'"), words.size());
    const std::string_view rest = words.substr(begin);
    const bool whole = rest.starts_with(key) &&
                       (rest.size() == key.size() || rest.find_first_of("=\"' ") == key.size());
    return whole ? mark.begin + begin : std::string_view::npos;
  }

  /// What the script calls by this name and nobody knows.
  void rename(const std::string& key, const std::string& name) {
    std::set<std::size_t> places;
    for (const auto& diagnostic : recipe_.diagnostics) {
      const std::size_t place = place_of(key, diagnostic.mark);
      if (place != std::string_view::npos && places.insert(place).second) {
        splices_.push_back({place, place + key.size(), name});
      }
    }
    if (places.empty()) {
      obstruct(fmt::format("{} is put together of variables", key));
    }
  }

  void replace(const Field& field, const std::vector<std::string>& values) {
    const std::string text = fmt::format("{}", fmt::join(values, " "));
    if (field.mark == field.key || !is_plain(text)) {
      obstruct(fmt::format("the value of {} has to be written by hand", field.spelling));
      return;
    }
    splices_.push_back({field.mark.begin, field.mark.end, text});
  }

  void add(const std::string& key, const std::vector<std::string>& values) {
    const Field* last = nullptr;
    for (const auto& [name, field] : recipe_.fields) {
      if (!field.key.nowhere() && is_written(field) &&
          (last == nullptr || field.mark.end > last->mark.end)) {
        last = &field;
      }
    }
    const std::string value = fmt::format("{}", fmt::join(values, " "));
    if (last == nullptr || (!values.empty() && !is_plain(value))) {
      obstruct(fmt::format("{} has to be added by hand", key));
      return;
    }
    const bool flag = key.starts_with('-');
    const std::string text = values.empty() ? key : key + (flag ? " " : "=") + value;
    splices_.push_back({last->mark.end, last->mark.end, " " + text});
  }

  /// What is left of a line that held nothing else goes too; but a line that ends the command
  /// behind a `\` stays, empty.
  void remove(std::size_t begin, std::size_t end) {
    while (begin > 0 && std::string_view("+~").find(bytes_[begin - 1]) != std::string_view::npos) {
      --begin;
    }
    const bool quoted = begin > 0 && end < bytes_.size() && bytes_[begin - 1] == bytes_[end] &&
                        (bytes_[end] == '"' || bytes_[end] == '\'');
    begin -= quoted ? 1U : 0U;
    end += quoted ? 1U : 0U;
    const std::size_t line = bytes_.rfind('\n', begin == 0 ? 0 : begin - 1);
    const std::size_t first = line == std::string_view::npos || begin == 0 ? 0 : line + 1;
    const std::size_t last = std::min(bytes_.find('\n', end), bytes_.size());
    const std::string_view before = bytes_.substr(first, begin - first);
    std::string_view after = bytes_.substr(end, last - end);
    const bool continues = after.ends_with('\\');
    if (continues) {
      after.remove_suffix(1);
    }
    const bool alone = before.find_first_not_of(kBlanks) == std::string_view::npos &&
                       after.find_first_not_of(kBlanks) == std::string_view::npos;
    const bool continued = first >= 2 && bytes_[first - 2] == '\\';
    if (alone && (continues || !continued) && last < bytes_.size()) {
      splices_.push_back({first, last + 1, ""});
      return;
    }
    while (begin > first && kBlanks.find(bytes_[begin - 1]) != std::string_view::npos) {
      --begin;
    }
    splices_.push_back({begin, end, ""});
  }

  void set_variable(const std::string& name,
                    const std::optional<std::vector<std::string>>& values) {
    const auto found = recipe_.variables.find(name);
    if (!values || !is_plain(values->front())) {
      obstruct(fmt::format("{} has to be changed by hand", name));
    } else if (found == recipe_.variables.end()) {
      export_variable(name, values->front());
    } else if (is_here(found->second.mark) && found->second.value.text() != nullptr &&
               at(found->second.mark) == *found->second.value.text()) {
      splices_.push_back({found->second.mark.begin, found->second.mark.end, values->front()});
    } else {
      obstruct(fmt::format("the value of {} is put together of variables", name));
    }
  }

  /// Behind the last line that is an export and nothing else.
  void export_variable(const std::string& name, const std::string& value) {
    std::optional<std::size_t> place;
    std::string indent;
    for (const auto& [other, variable] : recipe_.variables) {
      if (!is_here(variable.mark)) {
        continue;
      }
      const std::string_view line = file_.line(variable.mark.start().line);
      const std::size_t blanks = std::min(line.find_first_not_of(kBlanks), line.size());
      const std::size_t end = bytes_.find('\n', variable.mark.end);
      const bool whole = line.substr(blanks).starts_with("export ") && !line.ends_with('\\') &&
                         line.find(';') == std::string_view::npos;
      if (whole && end != std::string_view::npos && (!place || end + 1 > *place)) {
        place = end + 1;
        indent = std::string(line.substr(0, blanks));
      }
    }
    if (!place) {
      obstruct(fmt::format("{} has to be exported by hand", name));
      return;
    }
    splices_.push_back({*place, *place, fmt::format("{}export {}={}\n", indent, name, value)});
  }

  const recipe::Recipe& recipe_;
  const text::SourceFile& file_;
  std::string_view bytes_;
  std::vector<Splice> splices_;
  std::string obstacle_;
};

}  // namespace

std::string edited_script(const recipe::Recipe& recipe,
                          const std::vector<WordEdit>& edits,
                          std::string& obstacle) {
  Editor editor(recipe);
  for (const WordEdit& edit : edits) {
    editor.make(edit);
  }
  return editor.run(obstacle);
}

}  // namespace epwise::repair
