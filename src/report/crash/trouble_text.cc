#include "report/crash/trouble_text.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/standing.h"
#include "report/columns.h"
#include "report/place.h"
#include "text/count.h"

namespace epwise::report {
namespace {

using why::Step;

/// "model.fp8 = e4m3 (written)"; empty for what this framework version doesn't have.
std::string setting_text(const why::Trace& trace) {
  if (trace.steps.empty()) {
    return {};
  }
  const auto& last = trace.steps.back();
  const bool variable = trace.key.starts_with("env.");
  if (last.kind == Step::Kind::unsaid) {
    return variable ? fmt::format("{} is unset", trace.name) : "";
  }
  const std::string_view source = last.kind == Step::Kind::standard    ? " (default)"
                                  : last.kind == Step::Kind::rewritten ? " (rewritten at start-up)"
                                                                       : "";
  return fmt::format("{} = {}{}", trace.name, trace.value.to_text(), source);
}

class Text {
 public:
  Text(const CrashReport& report, const CrashCase& each, const Style& style)
      : report_(report),
        crash_(each.crash),
        recognised_(*each.trouble),
        trouble_(*each.trouble->trouble),
        style_(style) {}

  std::string run(bool besides) {
    say(fmt::format("{} {}", besides ? "in general this is:" : "this is:", trouble_.what), 2);
    if (!besides) {
      say(fmt::format("because the log holds \"{}\"", recognised_.words), 4);
      say(std::string(trouble_.why), 4);
    }
    for (const auto hint : recognised_.hints) {
      say(std::string(hint), 4);
    }
    if (crash_.kind == audit::Crash::Kind::aftermath) {
      say("It may follow from an error of another rank: where a rank told one, that is the cause.",
          4);
    }
    settings();
    rules();
    say("try first:", 2);
    int number = 0;
    for (const auto step : trouble_.first) {
      say(fmt::format("{}. {}", ++number, step), 4);
    }
    return out_;
  }

 private:
  void say(const std::string& sentence, int indent) {
    const std::string blanks(static_cast<std::size_t>(indent), ' ');
    bool first = true;
    for (const auto& line : wrap(printable(sentence, style_.unicode), style_.width - indent - 4)) {
      out_ += blanks + (first ? "" : "    ") + line + '\n';
      first = false;
    }
  }

  void settings() {
    if (!report_.recipe) {
      std::vector<std::string_view> names;
      for (const auto field : trouble_.fields) {
        names.push_back(field.substr(field.find('.') + 1));
      }
      say(fmt::format("what bears on it: {}", fmt::join(names, ", ")), 2);
      return;
    }
    std::vector<std::string> all;
    for (const auto& trace : report_.settings) {
      if (auto text = setting_text(trace); !text.empty()) {
        all.push_back(std::move(text));
      }
    }
    say(fmt::format("what bears on it in {}: {}", report_.recipe->path, fmt::join(all, ", ")), 2);
  }

  void rules() {
    if (!report_.recipe) {
      say(fmt::format("rules about it: {}; give the recipe to see which of them it breaks",
                      fmt::join(trouble_.rules, ", ")),
          2);
      return;
    }
    std::vector<std::string> open;
    int kept = 0;
    for (const auto& rule : report_.about) {
      const auto where = audit::standing(*rule, report_.recipe->result);
      if (where.kind == audit::Standing::Kind::found) {
        broken(*where.finding);
      } else if (where.kind == audit::Standing::Kind::open) {
        open.push_back(fmt::format("{} ({})", rule->id, fmt::join(where.open->needs, ", ")));
      } else {
        ++kept;
      }
    }
    if (!open.empty()) {
      say(fmt::format("left open for want of what stands in brackets: {}", fmt::join(open, ", ")),
          2);
    }
    if (kept > 0) {
      say(fmt::format("{} about it that the recipe keeps{}",
                      text::counted(kept, "further rule"),
                      style_.verbose ? ": " + kept_names() : ""),
          2);
    }
  }

  std::string kept_names() const {
    std::vector<std::string_view> names;
    for (const auto* rule : report_.about) {
      const auto kind = audit::standing(*rule, report_.recipe->result).kind;
      if (kind != audit::Standing::Kind::found && kind != audit::Standing::Kind::open) {
        names.push_back(rule->id);
      }
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void broken(const lint::Finding& finding) {
    const auto place = place_of(*report_.recipe, finding.primary.mark);
    say(fmt::format("{}:{}:{}: {}[{}] {}{}",
                    place.path,
                    place.start.line,
                    place.start.column,
                    lint::to_string(finding.severity),
                    finding.rule->id,
                    finding.message,
                    finding.fixes.empty()
                        ? ""
                        : fmt::format("; {}: {}",
                                      finding.fixes.front().edits.empty() ? "help" : "fix",
                                      finding.fixes.front().title)),
        2);
  }

  const CrashReport& report_;
  const audit::Crash& crash_;
  const audit::Recognised& recognised_;
  const lint::Trouble& trouble_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string trouble_text(const CrashReport& report,
                         const CrashCase& each,
                         bool besides,
                         const Style& style) {
  return Text(report, each, style).run(besides);
}

std::string looked_for(const CrashReport& report) {
  std::vector<std::string_view> names;
  for (const auto& trouble : report.looked_for.troubles) {
    names.push_back(trouble);
  }
  return fmt::format(
      "looked for: the words of {} checks, the upstream lines of {}, and {} troubles of running "
      "jobs ({})",
      report.looked_for.spoken,
      report.looked_for.placed,
      names.size(),
      fmt::join(names, ", "));
}

}  // namespace epwise::report
