#include "cli/advise/interview.h"

#include <istream>
#include <ostream>
#include <string_view>

#include <fmt/format.h>

namespace epwise::cli {

namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

std::string indented(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') {
      result += "  ";
    }
  }
  return result;
}

}  // namespace

Interview::Outcome Interview::ask(const Question& question) {
  while (true) {
    out_ << question.text;
    if (!question.fallback.empty()) {
      out_ << fmt::format(" [{}]", question.fallback);
    }
    out_ << ": " << std::flush;
    std::string line;
    if (!std::getline(in_, line)) {
      out_ << '\n';
      return Outcome::quit;
    }
    std::string answer = trimmed(line);
    if (answer == "quit" || answer == "back") {
      return answer == "quit" ? Outcome::quit : Outcome::back;
    }
    if (answer == "?") {
      out_ << indented(question.help) << '\n';
      continue;
    }
    const std::string wrong = answer.empty() && question.fallback.empty()
                                  ? "an answer is needed; ? explains"
                                  : question.take(answer.empty() ? question.fallback : answer);
    if (wrong.empty()) {
      return Outcome::answered;
    }
    out_ << indented(wrong) << '\n';
  }
}

bool Interview::run(const std::vector<Step>& steps, std::size_t from) {
  const auto applies = [&](std::size_t at) { return !steps[at].applies || steps[at].applies(); };
  std::size_t at = from;
  while (at < steps.size()) {
    if (!applies(at)) {
      ++at;
      continue;
    }
    switch (ask(steps[at].question())) {
      case Outcome::quit:
        return false;
      case Outcome::answered:
        ++at;
        break;
      case Outcome::back: {
        std::size_t before = at;
        while (before > 0 && !applies(before - 1)) {
          --before;
        }
        if (before == 0) {
          out_ << "  this is the first question; quit ends\n";
        } else {
          at = before - 1;
        }
        break;
      }
    }
  }
  return true;
}

}  // namespace epwise::cli
