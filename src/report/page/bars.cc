#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "report/columns.h"
#include "report/duration_text.h"
#include "report/entities.h"
#include "report/page/parts.h"
#include "units/prefixes.h"

namespace epwise::report {
namespace {

struct MemoryClass {
  std::string_view colour;
  std::string_view title;
  double (*bytes)(const model::StageMemory& stage) = nullptr;
};

constexpr std::array<MemoryClass, 9> kClasses = {
    {{"weights", "weights", [](const model::StageMemory& s) { return s.weights; }},
     {"gradients", "gradients", [](const model::StageMemory& s) { return s.gradients; }},
     {"states", "optimizer states", [](const model::StageMemory& s) { return s.optimizer; }},
     {"activations", "activations", [](const model::StageMemory& s) { return s.activations; }},
     {"loss", "logits and loss", [](const model::StageMemory& s) { return s.loss; }},
     {"transient", "transient", [](const model::StageMemory& s) { return s.transient; }},
     {"graphs", "CUDA graphs", [](const model::StageMemory& s) { return s.graphs; }},
     {"buffers", "dispatcher buffers", [](const model::StageMemory& s) { return s.buffers; }},
     {"context", "fragments, context, communicators", [](const model::StageMemory& s) {
        return model::needed(s) - s.allocated() - s.buffers;
      }}}};

std::string gib(double bytes) {
  return count_text(bytes / units::kGiB);
}

void add_stage(std::string& out,
               const sim::Prediction& prediction,
               std::size_t index,
               double widest) {
  const model::StageMemory& stage = prediction.memory.stages[index];
  const bool fullest = static_cast<int>(index) == prediction.memory.fullest;
  out += fmt::format(R"(<div class="row"><span>stage {}{}</span><div class="track">)",
                     index,
                     fullest ? ", fullest" : "");
  double left = 0;
  for (const MemoryClass& kind : kClasses) {
    const double bytes = kind.bytes(stage);
    if (bytes <= 0) {
      continue;
    }
    out += fmt::format(
        "<div class=\"bar\" style=\"left:{};width:{};background:var(--{})\" title=\"{}: {} GiB\">"
        "</div>",
        percent(left / widest),
        percent(bytes / widest),
        kind.colour,
        kind.title,
        gib(bytes));
    left += bytes;
  }
  if (fullest) {
    out += fmt::format(
        R"(<div class="whisker" style="left:{};width:{}" title="{} to {} GiB with 80 %"></div>)",
        percent(prediction.needed_memory.low / widest),
        percent((prediction.needed_memory.high - prediction.needed_memory.low) / widest),
        gib(prediction.needed_memory.low),
        gib(prediction.needed_memory.high));
  }
  if (prediction.memory_limit > 0) {
    out += fmt::format(R"(<div class="limit" style="left:{}"></div>)",
                       percent(prediction.memory_limit / widest));
  }
  out += fmt::format("</div><span class=\"value\">{} GiB</span></div>\n", gib(left));
}

}  // namespace

std::string escaped(std::string_view text) {
  return with_entities(printable(text, true), Quotes::both);
}

std::string legend_entry(std::string_view colour, std::string_view title) {
  return fmt::format("<li><i style=\"background:var(--{})\"></i>{}</li>", colour, title);
}

std::string percent(double share) {
  return fmt::format("{:.3f}%", 100 * std::clamp(share, 0.0, 1.0));
}

std::string waterfall_section(const sim::Prediction& prediction) {
  const sim::Range& step = prediction.step_time;
  const double widest = 1.02 * step.high;
  std::string out =
      "<section><h2>Where the step goes</h2><p class=\"note\">Bare compute first, then what each "
      "cause adds to those above it; the terms sum to the step.</p>\n";
  double before = 0;
  for (const sim::WaterfallTerm& term : prediction.waterfall) {
    const double after = before + term.seconds;
    const double share = 100 * term.seconds / step.value;
    out += fmt::format(
        "<div class=\"row\"><span>{}</span><div class=\"track\"><div class=\"bar{}\" "
        "style=\"left:{};width:{};background:var(--{})\" title=\"{}: {}\"></div></div>"
        "<span class=\"value\">{} <small>{:.1f} %</small></span></div>\n",
        term_title(term.name),
        term.seconds == 0 ? " none" : "",
        percent(std::min(before, after) / widest),
        percent(std::abs(term.seconds) / widest),
        term.name,
        term_title(term.name),
        seconds_text(term.seconds),
        seconds_text(term.seconds),
        std::abs(share) < 0.05 ? 0.0 : share);
    before = after;
  }
  out += fmt::format(
      "<div class=\"row total\"><span>step</span><div class=\"track\"><div class=\"bar\" "
      "style=\"left:0;width:{};background:var(--ink);opacity:.28\"></div><div class=\"whisker\" "
      "style=\"left:{};width:{}\" title=\"80 % interval\"></div></div><span class=\"value\">{} "
      "<small>100 %</small></span></div>\n</section>\n",
      percent(step.value / widest),
      percent(step.low / widest),
      percent((step.high - step.low) / widest),
      seconds_text(step.value));
  return out;
}

std::string memory_section(const sim::Prediction& prediction) {
  double widest = std::max(prediction.memory_limit, prediction.needed_memory.high);
  for (const model::StageMemory& stage : prediction.memory.stages) {
    widest = std::max(widest, model::needed(stage));
  }
  widest *= 1.04;
  std::string out =
      "<section><h2>Memory of one GPU, by stage</h2><p class=\"note\">At each stage's fullest "
      "moment.";
  if (prediction.memory_limit > 0) {
    out += fmt::format(
        " The dashed line is the GPU's {} GiB; the chance that the fullest stage "
        "needs more is {:.0f} %.",
        gib(prediction.memory_limit),
        100 * prediction.out_of_memory);
  }
  out += "</p>\n<ul class=\"legend\">";
  for (const MemoryClass& kind : kClasses) {
    const bool there = std::ranges::any_of(prediction.memory.stages, [&](const auto& stage) {
      return kind.bytes(stage) > 0.001 * widest;
    });
    if (there) {
      out += legend_entry(kind.colour, kind.title);
    }
  }
  out += "</ul>\n<div class=\"memory\">\n";
  for (std::size_t i = 0; i < prediction.memory.stages.size(); ++i) {
    add_stage(out, prediction, i, widest);
  }
  out += "</div>\n</section>\n";
  return out;
}

}  // namespace epwise::report
