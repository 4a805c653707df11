#include "ui/markup.h"

namespace epwise::report {

std::string with_entities(std::string_view text, Quotes quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'' && quotes == Quotes::both) {
      out += "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string table_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') {
      out += "\\|";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace epwise::report
