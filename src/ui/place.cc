#include "ui/place.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "recipe/named/named_recipe.h"

namespace epwise::report {

namespace {

constexpr std::uint32_t kShortText = 40;  // bytes

}  // namespace

Place place_of(const LintedFile& file, const text::Mark& mark) {
  Place place;
  if (mark.nowhere()) {
    place.path = file_path(file);
    return place;
  }
  place.path = mark.file->name();
  place.positioned = true;
  place.start = mark.start();
  place.finish = mark.end > mark.begin ? mark.finish() : place.start;
  return place;
}

Place place_in_file(const LintedFile& file, const text::Mark& mark) {
  Place place = place_of(file, mark);
  if (is_real_file(place.path)) {
    return place;
  }
  Place whole;
  whole.path = file_path(file);
  return whole;
}

std::string file_path(const LintedFile& file) {
  if (file.recipe != nullptr && !file.recipe->files.empty()) {
    return file.recipe->files.front()->name();
  }
  return file.path;
}

bool is_readable(const LintedFile& file) {
  return file.recipe == nullptr || file.recipe->readable;
}

bool is_real_file(const std::string& path) {
  return !path.empty() && path.front() != '<' && !recipe::is_recipe_file(path);
}

std::string marked_text(const text::Mark& mark) {
  if (mark.nowhere() || mark.end <= mark.begin || mark.end - mark.begin > kShortText) {
    return {};
  }
  const std::string_view text = mark.file->bytes().substr(mark.begin, mark.end - mark.begin);
  return text.find_first_of("\r\n") == std::string_view::npos ? std::string(text) : std::string();
}

namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("-._~/+=@,!$&'()*;").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view path) {
  std::string result;
  for (const char c : path) {
    if (is_plain(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace

std::string repository_uri(const Checkout& checkout, std::string_view path) {
  std::string seen = repository_path(checkout, path);
  if (seen.starts_with("../") && !checkout.root.empty()) {
    seen = "/" + session::folded(fmt::format("{}/{}", checkout.root, seen));
  }
  return (seen.starts_with('/') ? "file://" : "") + encoded(seen);
}

}  // namespace epwise::report
