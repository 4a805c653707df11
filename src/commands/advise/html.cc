#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "commands/advise/report.h"
#include "commands/simulate/page.h"
#include "commands/simulate/report.h"
#include "ui/prediction_text.h"

namespace epwise::report {
namespace {

using advise::Advice;

/// A bar with its 80 % interval, between a name and a value.
std::string bar(const std::string& name,
                const sim::Range& step,
                double widest,
                std::string_view colour,
                const std::string& value) {
  return fmt::format(
      "<div class=\"row\"><span>{}</span><div class=\"track\"><div class=\"bar\" "
      "style=\"left:0;width:{};background:var(--{})\"></div><div class=\"whisker\" "
      "style=\"left:{};width:{}\" title=\"80 % interval\"></div></div><span "
      "class=\"value\">{}</span></div>\n",
      escaped(name),
      percent(step.value / widest),
      colour,
      percent(step.low / widest),
      percent((step.high - step.low) / widest),
      value);
}

std::string note(const std::string& text) {
  return fmt::format("<p class=\"note\">{}</p>\n", escaped(text));
}

std::string advice_tiles(const Advice& advice) {
  const auto tile = [](std::string_view what, const std::string& value, const std::string& more) {
    return fmt::format("<div class=\"tile\"><span>{}</span><b>{}</b><span>{}</span></div>\n",
                       what,
                       escaped(value),
                       escaped(more));
  };
  const sim::Prediction& now = *advice.present;
  const advise::Plan* first = advice.plans.empty() ? nullptr : &advice.plans.front();
  return "<div class=\"tiles\">\n" +
         tile(advice.anchor            ? "step now, measured"
              : advice.repairs.empty() ? "step now"
                                       : "step of the fixed recipe",
              seconds_text(now.step_time.value),
              fmt::format("{} to {} (80 % interval)",
                          seconds_text(now.step_time.low),
                          seconds_text(now.step_time.high))) +
         tile("limited by", advice.diagnosis.wall, shares_text(advice.diagnosis)) +
         tile("memory",
              gib_text(now.needed_memory.value),
              now.memory_limit > 0 ? fmt::format("of {}; {:.0f} % probability of running out",
                                                 gib_text(now.memory_limit),
                                                 100 * advice.fits_risk)
                                   : "") +
         tile("first plan",
              first == nullptr ? "none" : fmt::format("{:.2f}x", first->speedup.value),
              first == nullptr ? "nothing is certainly better" : headline_text(*first)) +
         "</div>\n" +
         (advice.anchor ? fmt::format("<p>step {}</p>\n", escaped(anchor_text(*advice.anchor)))
                        : "") +
         (advice.calibration ? fmt::format("<p>calibration {}</p>\n",
                                           escaped(calibration_sentence(*advice.calibration)))
                             : "");
}

std::string dispatchers(const Advice& advice) {
  if (advice.dispatchers.empty()) {
    return "";
  }
  double widest = 0;
  for (const advise::DispatcherRow& row : advice.dispatchers) {
    widest = row.step ? std::max(widest, 1.02 * row.step->high) : widest;
  }
  std::string out =
      "<section><h2>Dispatchers</h2><p class=\"note\">Step time with each dispatcher, everything "
      "else unchanged.</p>\n";
  for (const advise::DispatcherRow& row : advice.dispatchers) {
    const std::string name = row.name + (row.present ? " (now)" : "");
    if (!row.step) {
      const std::string why = row.legality.legal ? row.legality.reason : refusal_text(row.legality);
      out += fmt::format("<div class=\"row\"><span>{}</span><span class=\"{}\">{}</span></div>\n",
                         escaped(name),
                         row.legality.legal ? "sub" : "bad",
                         escaped(why));
      continue;
    }
    out += bar(name, *row.step, widest, "dispatch", seconds_text(row.step->value));
    std::string more = fmt::format("{}, {} SMs", gib_text(row.needed_memory), row.sms);
    more += row.fits ? "" : "; does not fit";
    if (row.documented) {
      more += "; " + tie_text(row);
    } else if (row.tie && row.rank > 1) {
      more += "; too close to the first to call, to decide: " + row.measurement;
    }
    out += note(more + (row.guidance.empty() ? "" : "; documents: " + row.guidance));
  }
  return out + "</section>\n";
}

std::string ladder(const Advice& advice) {
  if (advice.ladder.empty()) {
    return "";
  }
  double widest = 1.02 * advice.ladder_start.high;
  for (const advise::RungState& rung : advice.ladder) {
    widest = rung.step ? std::max(widest, 1.02 * rung.step->high) : widest;
  }
  std::string out =
      "<section><h2>Overlap ladder</h2><p class=\"note\">Each added to those above.</p>\n" +
      bar("none", advice.ladder_start, widest, "host", seconds_text(advice.ladder_start.value));
  for (const advise::RungState& rung : advice.ladder) {
    const std::string name = "+ " + rung_text(rung);
    if (!rung.step) {
      out += fmt::format("<div class=\"row\"><span>{}</span><span class=\"bad\">{}</span></div>\n",
                         escaped(name),
                         escaped(refusal_text(rung.legality)));
      continue;
    }
    out += bar(name, *rung.step, widest, "data_parallel", seconds_text(rung.step->value));
    std::string more = fmt::format("adds {}: {}", ratio_text(*rung.added), effect_text(rung));
    more += rung.alone ? "; alone " + ratio_text(*rung.alone) : "";
    const std::string with = companions_text(rung.legality.with);
    more += with.empty() ? "" : "; " + with;
    const std::string gainers = gainers_text(rung);
    out += note(more + (gainers.empty() ? "" : "; " + gainers));
  }
  return out + "</section>\n";
}

std::string sweep(const advise::SmSweep& from) {
  PageRecipe page;
  page.dispatcher = from.dispatcher;
  for (const advise::SmSweep::Point& point : from.points) {
    page.sweep.points.push_back({point.sms, point.step, 0});
  }
  const bool there = std::ranges::find(from.points, from.present, &advise::SmSweep::Point::sms) !=
                     from.points.end();
  page.sweep.own = there ? from.present : 0;
  page.sweep.best = std::ranges::min_element(from.points, {}, &advise::SmSweep::Point::step)->sms;
  page.sweep.flat_from = from.flat_from;
  page.sweep.flat_to = from.flat_to;
  return sweep_section(page);
}

/// A unified diff with coloured lines, folded.
std::string patch(std::string_view diff) {
  std::string lines;
  while (!diff.empty()) {
    const std::size_t end = diff.find('\n');
    const std::string_view line = diff.substr(0, end);
    const char* colour = line.starts_with('+') ? "add" : line.starts_with('-') ? "del" : "";
    lines += *colour == 0 ? escaped(line) + "\n"
                          : fmt::format("<span class=\"{}\">{}</span>\n", colour, escaped(line));
    diff.remove_prefix(end == std::string_view::npos ? diff.size() : end + 1);
  }
  return fmt::format(
      "<details><summary>patch</summary><div class=\"scroll\"><pre>{}</pre></div></details>\n",
      lines);
}

std::string plan(const advise::Plan& plan, int number) {
  std::string out = fmt::format(
      "<section><h2>{}. {}</h2><p class=\"note\">{}</p>\n<ul>\n",
      number,
      escaped(headline_text(plan)),
      escaped(fmt::format("step {}, memory {}{}, risk {}; event simulation: {:.2f} times as fast",
                          seconds_text(plan.step.value),
                          gib_text(plan.needed_memory),
                          plan.memory_limit > 0 ? " of " + gib_text(plan.memory_limit) : "",
                          advise::to_string(plan.risk),
                          plan.event_speedup)));
  for (const advise::PlanChange& change : plan.changes) {
    out += fmt::format("<li><code>{}</code></li>\n", escaped(change_text(change)));
  }
  for (const auto& [name, value] : plan.environment) {
    out += fmt::format("<li>launch with <code>{}={}</code></li>\n", escaped(name), escaped(value));
  }
  for (const lint::Rule* rule : plan.settles) {
    out += fmt::format("<li>{}</li>\n", escaped(settles_text(*rule)));
  }
  out += "</ul>\n";
  if (const std::string why = documented_text(plan); !why.empty()) {
    out += note(why);
  }
  if (!plan.measurement.empty()) {
    out += note("to decide: " + plan.measurement);
  }
  out += "<h3>Bring-up order</h3><ol>\n";
  for (const advise::BringUp& each : plan.bring_up) {
    out += fmt::format("<li>{}; check {}</li>\n", escaped(each.what), escaped(each.check));
  }
  out += "</ol>\n";
  std::string risks;
  for (const std::string& risk : plan.risks) {
    risks += (risks.empty() ? "risks: " : "; ") + risk;
  }
  out += risks.empty() ? "" : note(risks);
  if (!plan.obstacle.empty()) {
    out += note("not applied automatically: " + plan.obstacle);
  }
  out += plan.diff.empty() ? "" : patch(plan.diff);
  return out + "</section>\n";
}

double total_of(const sim::Waterfall& waterfall) {
  double total = 0;
  for (const sim::WaterfallTerm& term : waterfall) {
    total += term.seconds;
  }
  return total;
}

/// A whole step in the waterfall of a plan, with its interval.
std::string whole_step(const std::string& name, const sim::Range& step, double widest) {
  return fmt::format(
      "<div class=\"row total\"><span>{0}</span><div class=\"track\" role=\"img\" "
      "aria-label=\"{0} {5}\"><div class=\"bar\" "
      "style=\"left:0;width:{1};background:var(--ink);opacity:.28\"></div><div class=\"whisker\" "
      "style=\"left:{2};width:{3}\" title=\"80 % interval\"></div></div><span "
      "class=\"value\">{4}</span></div>\n",
      name,
      percent(step.value / widest),
      percent(step.low / widest),
      percent((step.high - step.low) / widest),
      seconds_text(step.value),
      range_text(step));
}

/// From the step now to the step with a plan: what each term saves or adds.
std::string before_and_after(const Advice& advice, const advise::Plan& plan) {
  constexpr double kVisible = 0.002;  // of the step
  const sim::Waterfall& now = advice.present->waterfall;
  const double step = total_of(now);
  if (step <= 0 || plan.waterfall.size() != now.size()) {
    return "";
  }
  double widest = std::max(advice.present->step_time.high, plan.step.high);
  double at = step;
  for (std::size_t i = 0; i < now.size(); ++i) {
    at += plan.waterfall[i].seconds - now[i].seconds;
    widest = std::max(widest, at);
  }
  widest *= 1.02;
  std::string out =
      "<section><h2>Before and after plan 1</h2><p class=\"note\">From the step now to the step "
      "with the plan: what each term saves (full) or adds (striped). Terms that stay as they are "
      "are left out.</p>\n" +
      whole_step("step now", advice.present->step_time, widest);
  at = step;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double change = plan.waterfall[i].seconds - now[i].seconds;
    const double from = std::min(at, at + change);
    at += change;
    if (std::abs(change) < kVisible * step) {
      continue;
    }
    const std::string title(term_title(now[i].name));
    const std::string sizes = fmt::format(
        "{} → {}", seconds_text(now[i].seconds), seconds_text(plan.waterfall[i].seconds));
    out += fmt::format(
        "<div class=\"row\"><span>{0}<br><small class=\"sub\">{1}</small></span><div "
        "class=\"track\" role=\"img\" aria-label=\"{0} {1}\"><div class=\"bar{2}\" "
        "style=\"left:{3};width:{4};background-color:var(--{5})\"></div></div><span "
        "class=\"value\">{6}{7}</span></div>\n",
        title,
        sizes,
        change > 0 ? " more" : "",
        percent(from / widest),
        percent(std::abs(change) / widest),
        now[i].name,
        change > 0 ? "+" : "−",
        seconds_text(std::abs(change)));
  }
  return out + whole_step("with plan 1", plan.step, widest) + "</section>\n";
}

std::string choice_section(const advise::Choice& choice) {
  std::string out = fmt::format("<section><h2>Which dispatcher: {}</h2><p>{}</p>\n",
                                escaped(choice.name),
                                escaped(choice.because));
  for (const std::string& each : {choice.family, choice.memory}) {
    out += each.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(each));
  }
  if (!choice.published.empty()) {
    out += "<h3>Published runs</h3><ul>";
    for (const advise::PublishedRow& row : choice.published) {
      out += fmt::format("<li>{} <small>{}</small></li>\n",
                         escaped(published_text(row)),
                         escaped(published_source(row.runs)));
    }
    out += "</ul>";
  }
  return out + "</section>\n";
}

std::string list_section(const AdviceList& list) {
  std::string out = fmt::format("<section><h2>{}</h2>\n", escaped(list.title));
  out += list.about.empty() ? "" : note(list.about);
  out += list.numbered ? "<ol>" : "<ul>";
  for (const std::string& line : list.lines) {
    out += fmt::format("<li>{}</li>\n", escaped(line));
  }
  return out + (list.numbered ? "</ol></section>\n" : "</ul></section>\n");
}

std::string advice_body(const AdvisedRecipe& recipe) {
  const Advice& advice = recipe.advice;
  const std::string name = recipe.path.substr(recipe.path.rfind('/') + 1);
  std::string out = fmt::format("<header><h1>{}</h1><p class=\"sub\">{}on {}</p></header>\n",
                                escaped(name),
                                name == recipe.path ? "" : escaped(recipe.path) + ", ",
                                escaped(recipe.against));
  if (!recipe.simulated.empty()) {
    out += note("Simulated: " + recipe.simulated);
  }
  if (!recipe.accepted.empty()) {
    out += fmt::format("<p class=\"bad\">{}</p>\n", escaped(recipe.accepted));
  }
  if (!advice.present) {
    out += "<section><p class=\"bad\">No advice; missing facts:</p><ul>";
    for (const text::Diagnostic& each : advice.missing) {
      out += "<li>" + escaped(missing_text(each)) + "</li>";
    }
    return out + "</ul></section>\n";
  }
  out += advice_tiles(advice);
  if (!advice.repairs.empty()) {
    out += "<section><h2>Fixed first</h2><ul>";
    for (const fix::Repair& repair : advice.repairs) {
      for (const fix::Repair::Edit& edit : repair.edits) {
        out += fmt::format("<li><code>{}</code> ({})</li>\n",
                           escaped(fix::to_text(edit)),
                           escaped(reason_text(repair)));
      }
    }
    out += "</ul></section>\n";
  }
  if (const auto settled = settled_list(advice)) {
    out += list_section(*settled);
  }
  if (advice.choice) {
    out += choice_section(*advice.choice);
  } else if (advice.plans.empty()) {
    out += fmt::format("<section><p>{}</p></section>\n", escaped(no_plan_text(advice)));
  }
  if (advice.fitting) {
    out += note(plans_title(advice));
  }
  int number = 0;
  for (const auto* plans : {&advice.plans, &advice.close}) {
    for (const advise::Plan& each : *plans) {
      ++number;
      out += plan(each, number);
      out += number == 1 ? before_and_after(advice, each) : "";
    }
  }
  for (const AdviceList& list : purpose_lists(advice)) {
    out += list_section(list);
  }
  out += dispatchers(advice) + ladder(advice);
  for (const advise::SmSweep& each : advice.sweeps) {
    out += sweep(each);
  }
  return out + waterfall_section(*advice.present) + memory_section(*advice.present) +
         inputs_section(advice.inputs);
}

}  // namespace

std::string advise_html(const AdvisedRecipe& recipe) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>{} - epwise advise</title>\n"
      "<style>{}.add{{color:var(--good)}}.del{{color:var(--bad)}}.tile b{{overflow-wrap:anywhere;"
      "font-size:clamp(1.1rem,2.2vw,1.5rem)}}.bar.more{{background-image:"
      "repeating-linear-gradient(135deg,var(--card) 0 3px,transparent 3px 8px)}}</style></"
      "head>\n<body><main>\n{}</main></body></html>\n",
      escaped(recipe.path),
      page_style(),
      advice_body(recipe));
}

}  // namespace epwise::report
