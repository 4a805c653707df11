#include "recipe/shell/variables.h"

#include <algorithm>
#include <utility>

namespace epwise::shell {

namespace {

constexpr std::size_t kMostText = std::size_t{1} << 16U;
constexpr std::size_t kMostPieces = 4096;

bool same(const Piece& a, const Piece& b) {
  return a.text == b.text && a.mark == b.mark && a.condition == b.condition && a.needs == b.needs;
}

bool same(const Field& a, const Field& b) {
  return std::equal(a.pieces.begin(),
                    a.pieces.end(),
                    b.pieces.begin(),
                    b.pieces.end(),
                    [](const Piece& x, const Piece& y) { return same(x, y); });
}

bool same(const Variable& a, const Variable& b) {
  return a.kind == b.kind && a.exported == b.exported && a.sparse == b.sparse &&
         std::equal(a.fields.begin(),
                    a.fields.end(),
                    b.fields.begin(),
                    b.fields.end(),
                    [](const Field& x, const Field& y) { return same(x, y); });
}

bool is_field_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

bool is_flag_text(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    const auto found = std::find_if_not(piece.text.begin(), piece.text.end(), is_field_blank);
    if (found != piece.text.end() || !piece.needs.empty()) {
      return piece.condition != 0 || (found != piece.text.end() && *found == '-');
    }
  }
  return true;
}

template <typename T, typename Same>
std::size_t shared(const std::vector<T>& a, const std::vector<T>& b, Same is_same) {
  std::size_t count = 0;
  while (count < a.size() && count < b.size() && is_same(a[count], b[count])) {
    ++count;
  }
  return count;
}

void tag(std::vector<Piece>& pieces, int condition, const std::vector<std::string>& needs) {
  for (Piece& piece : pieces) {
    add_needs(needs, piece.needs);
    piece.condition = piece.condition == 0 ? condition : piece.condition;
  }
}

std::vector<Piece> pieces_of(const Variable& variable) {
  return variable.fields.empty() ? std::vector<Piece>() : variable.fields.front().pieces;
}

text::Mark place_of(const Variable& a, const Variable& b) {
  const Variable& written = b.fields.empty() ? a : b;
  return written.fields.empty() ? text::Mark{} : written.fields.front().mark;
}

Variable merged_text(const Variable& a, const Variable& b, const Doubt& doubt) {
  const std::vector<Piece> first = pieces_of(a);
  const std::vector<Piece> second = pieces_of(b);
  const std::size_t count =
      shared(first, second, [](const Piece& x, const Piece& y) { return same(x, y); });
  const auto from = static_cast<std::ptrdiff_t>(count);
  std::vector<Piece> left(first.begin() + from, first.end());
  std::vector<Piece> right(second.begin() + from, second.end());
  Variable result;
  result.kind = Variable::Kind::text;
  result.key = b.key.nowhere() ? a.key : b.key;
  const bool perhaps_unset = a.kind != b.kind && left.empty() && right.empty();
  if (!is_flag_text(left) || !is_flag_text(right) || perhaps_unset) {
    result.fields.push_back(unknown_field(place_of(a, b), doubt.needs));
    return result;
  }
  tag(left, doubt.first, doubt.needs);
  tag(right, doubt.second, doubt.needs);
  Field field;
  field.mark = place_of(a, b);
  field.pieces.assign(first.begin(), first.begin() + from);
  field.pieces.insert(field.pieces.end(), left.begin(), left.end());
  if (!left.empty() && !right.empty()) {
    Piece blank;
    blank.text = " ";
    blank.mark = field.mark;
    field.pieces.push_back(std::move(blank));
  }
  field.pieces.insert(field.pieces.end(), right.begin(), right.end());
  result.fields.push_back(std::move(field));
  return result;
}

bool is_flag_list(const std::vector<Field>& fields) {
  return fields.empty() || is_flag_text(fields.front().pieces);
}

Variable merged_list(const Variable& a, const Variable& b, const Doubt& doubt) {
  const std::size_t count =
      shared(a.fields, b.fields, [](const Field& x, const Field& y) { return same(x, y); });
  const auto from = static_cast<std::ptrdiff_t>(count);
  std::vector<Field> left(a.fields.begin() + from, a.fields.end());
  std::vector<Field> right(b.fields.begin() + from, b.fields.end());
  Variable result;
  result.kind = Variable::Kind::list;
  result.key = b.key.nowhere() ? a.key : b.key;
  result.fields.assign(a.fields.begin(), a.fields.begin() + from);
  if (!is_flag_list(left) || !is_flag_list(right)) {
    result.fields.push_back(unknown_field(place_of(a, b), doubt.needs));
    result.fields.back().pieces.front().quoted = false;  // any number of words
    return result;
  }
  for (Field& field : left) {
    tag(field.pieces, doubt.first, doubt.needs);
    result.fields.push_back(std::move(field));
  }
  for (Field& field : right) {
    tag(field.pieces, doubt.second, doubt.needs);
    result.fields.push_back(std::move(field));
  }
  return result;
}

bool too_large(const std::vector<Field>& fields) {
  std::size_t text = 0;
  std::size_t pieces = fields.size();
  for (const Field& field : fields) {
    pieces += field.pieces.size();
    for (const Piece& piece : field.pieces) {
      text += piece.text.size();
    }
  }
  return text > kMostText || pieces > kMostPieces;
}

}  // namespace

bool equal_text(const Variable& a, const Variable& b) {
  return a.kind == b.kind && a.sparse == b.sparse &&
         std::equal(a.fields.begin(),
                    a.fields.end(),
                    b.fields.begin(),
                    b.fields.end(),
                    [](const Field& x, const Field& y) {
                      return x.known() && y.known() && x.text() == y.text();
                    });
}

Variable merged(const Variable& a, const Variable& b, const Doubt& doubt) {
  if (same(a, b)) {
    return a;
  }
  const bool lists = a.kind == Variable::Kind::list || b.kind == Variable::Kind::list;
  Variable both = equal_text(a, b) ? b
                  : lists          ? merged_list(a, b, doubt)
                                   : merged_text(a, b, doubt);
  both.exported = a.exported || b.exported;
  both.sparse = a.sparse || b.sparse;
  return both;
}

std::string_view Variables::behind(std::string_view name) const {
  constexpr int kMostNames = 8;
  for (int step = 0; step < kMostNames; ++step) {
    const auto found = references_.find(name);
    if (found == references_.end()) {
      break;
    }
    name = found->second;
  }
  return name;
}

void Variables::refer(const std::string& name, const std::string& target) {
  references_.erase(name);
  if (behind(target) != name) {
    references_.emplace(name, target);
  }
}

const Variable* Variables::find(std::string_view name) const {
  const auto found = all_.find(behind(name));
  return found == all_.end() ? nullptr : &found->second;
}

void Variables::set(const std::string& name, Variable variable) {
  if (too_large(variable.fields)) {
    const text::Mark mark = variable.fields.front().mark;
    const bool list = variable.kind == Variable::Kind::list;
    variable.fields.assign(1, list ? unknown_elements(mark, name) : unknown_value(mark, name));
  }
  references_.erase(name);
  all_.insert_or_assign(name, std::move(variable));
}

void Variables::assign(const std::string& name,
                       Variable::Kind kind,
                       std::vector<Field> fields,
                       const text::Mark& key) {
  Variable variable;
  variable.kind = kind;
  variable.fields = std::move(fields);
  variable.key = key;
  const Variable* before = find(name);
  variable.exported = before != nullptr && before->exported;
  set(std::string(behind(name)), std::move(variable));
}

void Variables::forget(std::string_view name) {
  const auto found = all_.find(behind(name));
  if (found != all_.end()) {
    all_.erase(found);
  }
}

void Variables::mark_exported(const std::string& name) {
  const auto found = all_.find(behind(name));
  if (found != all_.end()) {
    found->second.exported = true;
  }
}

void Variables::mark_sparse(const std::string& name) {
  const auto found = all_.find(behind(name));
  if (found != all_.end()) {
    found->second.sparse = true;
  }
}

std::map<std::string, Variable> Variables::exported() const {
  std::map<std::string, Variable> result;
  for (const auto& [name, variable] : all_) {
    if (variable.exported) {
      result.emplace(name, variable);
    }
  }
  return result;
}

void Variables::compare(
    const Variables& first,
    const Variables& second,
    const std::function<void(const std::string&, const Variable&, const Variable&)>& visit) {
  const Variable none;
  for (const auto& [name, variable] : first.all_) {
    const auto other = second.all_.find(name);
    visit(name, variable, other == second.all_.end() ? none : other->second);
  }
  for (const auto& [name, variable] : second.all_) {
    if (!first.all_.contains(name)) {
      visit(name, none, variable);
    }
  }
}

Variables Variables::merged(const Variables& first, const Variables& second, const Doubt& doubt) {
  Variables result = first;
  result.unread_ = first.unread_.empty() ? second.unread_ : first.unread_;
  compare(first, second, [&](const std::string& name, const Variable& a, const Variable& b) {
    if (!same(a, b)) {
      result.set(name, shell::merged(a, b, doubt));
    }
  });
  return result;
}

std::size_t Variables::differing(const Variables& first, const Variables& second) {
  std::size_t count = 0;
  compare(first, second, [&](const std::string&, const Variable& a, const Variable& b) {
    count += same(a, b) || equal_text(a, b) ? 0U : 1U;
  });
  return count;
}

}  // namespace epwise::shell
