#include "commands/simulate/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/units/quantity.h"
#include "commands/simulate/trace.h"
#include "ui/columns.h"
#include "ui/markup.h"
#include "ui/prediction_text.h"

namespace epwise::report {

// NOLINTNEXTLINE(readability-function-size): a style sheet
std::string_view page_style() {
  return R"(
:root{color-scheme:light dark;
--page:#f6f7f9;--card:#fff;--ink:#1b1f24;--soft:#5b6570;--line:#d9dee4;--grid:#eceff3;
--compute:#3867b0;--dispatch:#a85f14;--combine:#b0502a;--contention:#8a5aa8;--host:#5f6b78;
--imbalance:#bfa12f;--uneven_stages:#6d7fa3;--bubble:#9fb0c3;--data_parallel:#2b9186;--optimizer:#52667a;
--attention:#3867b0;--experts:#5b4bb0;--wgrad:#8f83cf;--other:#5f6b78;
--weights:#3867b0;--gradients:#6f9bd8;--states:#5b4bb0;--activations:#2b9186;--loss:#bfa12f;
--transient:#d9822b;--graphs:#8a5aa8;--buffers:#b8562f;--context:#9aa5b1;
--limit:#c62f2f;--bad:#b3261e;--good:#1d7a46;--on-block:#fff;--shade:0,0,0}
@media(prefers-color-scheme:dark){:root{
--page:#14171b;--card:#1d2126;--ink:#e8ebee;--soft:#a0a9b3;--line:#363d45;--grid:#2a3037;
--compute:#5b8fdb;--dispatch:#e39a4d;--combine:#d0764f;--contention:#ab80c8;--host:#8b97a4;
--imbalance:#d2b64c;--uneven_stages:#8c9cc0;--bubble:#71849a;--data_parallel:#47b1a5;--optimizer:#7d93a8;
--attention:#5b8fdb;--experts:#8779dc;--wgrad:#5f55a0;--other:#8b97a4;
--weights:#5b8fdb;--gradients:#39639f;--states:#8779dc;--activations:#47b1a5;--loss:#d2b64c;
--transient:#e39a4d;--graphs:#ab80c8;--buffers:#d0764f;--context:#66717d;
--limit:#f06a6a;--bad:#f2837b;--good:#63c48d;--on-block:#0f1318;--shade:255,255,255}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1120px;margin:0 auto;padding:24px 20px 48px}
header{margin:8px 0 16px}
h1{font-size:1.45rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:0 0 2px}
p{margin:0 0 10px}
code{overflow-wrap:anywhere}
.sub,.note{color:var(--soft)}.note{font-size:.88rem;margin:0 0 14px;max-width:105ch}
.bad{color:var(--bad);font-weight:600}
section,.tile{background:var(--card);border:1px solid var(--line);border-radius:10px}
section{padding:18px 20px;margin:0 0 16px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px;margin:0 0 16px}
.tile{padding:14px 16px}.tile b{display:block;font-size:1.5rem;line-height:1.3;font-weight:650}
.tile span{color:var(--soft);font-size:.85rem}
.row{display:grid;grid-template-columns:150px minmax(0,1fr) 132px;gap:12px;align-items:center;
min-height:30px}
.row>.value{text-align:right;white-space:nowrap}.row>.value small{color:var(--soft);display:inline-block;width:4.2em}
.track{position:relative;height:18px;background:
repeating-linear-gradient(to right,var(--grid) 0 1px,transparent 1px 20%);border-right:1px solid var(--grid)}
.bar{position:absolute;top:0;bottom:0;min-width:1px;border-radius:2px}.bar.none{display:none}
.total{border-top:1px solid var(--line);margin-top:4px;padding-top:6px;font-weight:600}
.whisker{position:absolute;top:3px;bottom:3px;border:solid var(--ink);border-width:0 2px;opacity:.75}
.whisker::before{content:"";position:absolute;left:0;right:0;top:50%;border-top:2px solid var(--ink)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:.85rem;color:var(--soft);margin:0 0 12px;padding:0;list-style:none}
.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;vertical-align:-1px}
.scroll{overflow-x:auto;padding-bottom:4px}
.lanes{min-width:680px;margin:0 0 18px}
.lane{display:grid;grid-template-columns:112px minmax(0,1fr);gap:10px;align-items:center;margin:0 0 6px}
.lane>span{color:var(--soft);font-size:.88rem}
.blocks{position:relative;height:34px;background:var(--grid);border-radius:3px}
.lane.thin .blocks{height:20px}
.block{position:absolute;top:0;bottom:0;overflow:hidden;border-radius:2px;border-left:1px solid var(--card);
color:var(--on-block);font-size:.77rem;line-height:34px;padding:0 5px;white-space:nowrap;text-overflow:ellipsis}
.lane.thin .block{line-height:20px}
.block.narrow{padding:0;font-size:0}
.block.back{background-image:linear-gradient(rgba(var(--shade),.24),rgba(var(--shade),.24))}
.block.late{background-image:repeating-linear-gradient(135deg,rgba(var(--shade),.18) 0 5px,transparent 5px 10px)}
.block.critical{box-shadow:inset 0 -4px 0 var(--limit)}
.ticks{position:relative;height:20px;margin-left:122px;color:var(--soft);font-size:.78rem}
.ticks span{position:absolute;transform:translateX(-50%);border-top:5px solid transparent;white-space:nowrap}
.ticks span:first-child{transform:none}.ticks span:last-child{transform:translateX(-100%)}
h3{font-size:.92rem;font-weight:600;margin:0 0 8px}
.plot{position:relative;height:230px;margin:6px 8px 30px 76px;border-left:1px solid var(--line);border-bottom:1px solid var(--line)}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot .y,.plot .x{position:absolute;color:var(--soft);font-size:.8rem;white-space:nowrap}
.plot .y{right:100%;margin-right:8px;transform:translateY(50%)}
.plot .x{top:100%;margin-top:6px;transform:translateX(-50%)}
.plot .gridline{position:absolute;left:0;right:0;border-top:1px solid var(--grid)}
.plot .flat{position:absolute;top:0;bottom:0;background:var(--good);opacity:.13}
.plot .dot{position:absolute;width:11px;height:11px;margin:-5px;border-radius:50%;border:2px solid var(--card)}
.plot .tag{position:absolute;font-size:.82rem;font-weight:600;white-space:nowrap;transform:translate(-50%,-26px)}
.plot .tag.left{transform:translate(-100%,-26px)}.plot .tag.right{transform:translate(0,-26px)}
.memory{position:relative}
.memory .track{height:22px;background:var(--grid)}
.limit{position:absolute;top:-3px;bottom:-3px;border-left:2px dashed var(--limit)}
.limits{position:relative;height:22px;font-size:.82rem;color:var(--limit);font-weight:600}
.limits span{position:absolute;transform:translateX(-50%);white-space:nowrap}
.limits span.end{transform:translateX(-100%)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:5px 12px 5px 0;border-bottom:1px solid var(--grid);vertical-align:top}
th{color:var(--soft);font-weight:600}td:last-child{color:var(--soft)}
tr.assumed td:nth-child(3){color:var(--dispatch);font-weight:600}
footer{color:var(--soft);font-size:.85rem;margin-top:20px}
@media(max-width:640px){main{padding:14px 12px 32px}section{padding:14px}
.row{grid-template-columns:1fr auto;gap:2px 10px;padding:5px 0}.row>.track{grid-column:1/-1;grid-row:2}
td:last-child,th:last-child{display:none}.plot{margin-left:64px}
.memory .row{padding-bottom:8px}}
@media print{body{background:#fff}section,.tile{break-inside:avoid}}
)";
}

namespace {

struct MemoryClass {
  std::string_view colour;
  std::string_view title;
  double (*bytes)(const workload::StageMemory& stage) = nullptr;
};

constexpr std::array<MemoryClass, 9> kClasses = {
    {{"weights", "weights", [](const workload::StageMemory& s) { return s.weights; }},
     {"gradients", "gradients", [](const workload::StageMemory& s) { return s.gradients; }},
     {"states", "optimizer states", [](const workload::StageMemory& s) { return s.optimizer; }},
     {"activations", "activations", [](const workload::StageMemory& s) { return s.activations; }},
     {"loss", "logits and loss", [](const workload::StageMemory& s) { return s.loss; }},
     {"transient", "transient", [](const workload::StageMemory& s) { return s.transient; }},
     {"graphs", "CUDA graphs", [](const workload::StageMemory& s) { return s.graphs; }},
     {"buffers", "dispatcher buffers", [](const workload::StageMemory& s) { return s.buffers; }},
     {"context", "fragments, context, communicators", [](const workload::StageMemory& s) {
        return workload::needed(s) - s.allocated() - s.buffers;
      }}}};

std::string gib(double bytes) {
  return count_text(bytes / units::kGiB);
}

void add_stage(std::string& out,
               const sim::Prediction& prediction,
               std::size_t index,
               double widest) {
  const workload::StageMemory& stage = prediction.memory.stages[index];
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
        R"(<div class="whisker" style="left:{};width:{}" title="{} to {} GiB, 80 % interval"></div>)",
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
      "<section><h2>Where the step goes</h2><p class=\"note\">Compute alone first, then what each "
      "cause adds to those above; the terms sum to the step.</p>\n";
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
  for (const workload::StageMemory& stage : prediction.memory.stages) {
    widest = std::max(widest, workload::needed(stage));
  }
  widest *= 1.04;
  std::string out =
      "<section><h2>Memory per GPU, by stage</h2><p class=\"note\">At the peak of each stage.";
  if (prediction.memory_limit > 0) {
    out += fmt::format(
        " The dashed line is the GPU's {} GiB; the stage with the highest peak exceeds it with a "
        "probability of {:.0f} %.",
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

namespace {

/// Positions of values in the plot, as shares of its width and height.
struct Axes {
  double least = 0;
  double most = 0;
  double lowest = 0;
  double highest = 0;

  double x(double sms) const { return (sms - least) / (most - least); }

  double y(double step) const { return (step - lowest) / (highest - lowest); }
};

Axes axes_of(const sim::SmSweep& sweep) {
  Axes axes;
  axes.least = sweep.points.front().sms;
  axes.most = sweep.points.back().sms;
  const auto [low, high] = std::ranges::minmax(sweep.points, {}, &sim::SmPoint::step);
  // Differences below a twentieth are not magnified to the full height.
  const double room = std::max(high.step - low.step, 0.05 * low.step);
  axes.lowest = std::max(0.0, low.step - 0.25 * room);
  axes.highest = low.step + 1.1 * room;
  return axes;
}

std::string curve(const sim::SmSweep& sweep, const Axes& axes) {
  std::string points;
  for (const sim::SmPoint& point : sweep.points) {
    points +=
        fmt::format("{:.2f},{:.2f} ", 1000 * axes.x(point.sms), 1000 * (1 - axes.y(point.step)));
  }
  return fmt::format(
      "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"step time over SMs\"><polyline points=\"{}\" fill=\"none\" "
      "stroke=\"var(--compute)\" stroke-width=\"2.5\" vector-effect=\"non-scaling-stroke\" "
      "stroke-linejoin=\"round\"/></svg>\n",
      points);
}

std::string dot(const Axes& axes,
                const sim::SmPoint& point,
                std::string_view colour,
                std::string_view what) {
  const double x = axes.x(point.sms);
  const std::string_view side = x < 0.15 ? " right" : (x > 0.85 ? " left" : "");
  return fmt::format(
      "<div class=\"dot\" style=\"left:{0};bottom:{1};margin:0 0 -5px "
      "-5px;background:var(--{2})\"></div>"
      "<div class=\"tag{3}\" style=\"left:{0};bottom:{1};transform-origin:0 "
      "0;color:var(--{2})\">{4}</div>\n",
      percent(x),
      percent(axes.y(point.step)),
      colour,
      side,
      what);
}

std::string frame(const Axes& axes) {
  constexpr int kLines = 4;
  std::string out;
  for (int i = 0; i <= kLines; ++i) {
    const double share = static_cast<double>(i) / kLines;
    out += fmt::format(
        "<div class=\"gridline\" style=\"bottom:{0}\"></div><div class=\"y\" "
        "style=\"bottom:{0}\">{1}</div>",
        percent(share),
        seconds_text(axes.lowest + share * (axes.highest - axes.lowest)));
  }
  constexpr std::array<int, 5> kTicks = {4, 16, 32, 48, 64};
  for (const int sms : kTicks) {
    if (sms >= axes.least && sms <= axes.most) {
      out += fmt::format(R"(<div class="x" style="left:{}">{}{}</div>)",
                         percent(axes.x(sms)),
                         sms,
                         sms == kTicks.front() ? " SMs" : "");
    }
  }
  return out + "\n";
}

const sim::SmPoint& point_at(const sim::SmSweep& sweep, int sms) {
  return *std::ranges::find(sweep.points, sms, &sim::SmPoint::sms);
}

}  // namespace

std::string sweep_section(const PageRecipe& recipe) {
  const sim::SmSweep& sweep = recipe.sweep;
  std::string out = fmt::format("<section><h2>Dispatcher SMs</h2><p class=\"note\">");
  if (sweep.points.empty()) {
    if (recipe.dispatcher.empty()) {
      return out + "Nothing is exchanged: every rank has all experts.</p></section>\n";
    }
    return out + fmt::format(
                     "{} has no SM count to choose: the number of NCCL channels determines "
                     "it.</p></section>\n",
                     recipe.dispatcher == "allgather" ? "The all-gather" : "The all-to-all");
  }
  const double best = point_at(sweep, sweep.best).step;
  out += fmt::format(
      "Step time against the SM count of the {} kernels, everything else equal. More SMs shorten "
      "an exchange until a link saturates, and take SMs away from concurrent kernels. ",
      escaped(recipe.dispatcher));
  out += sweep.flat_from == sweep.flat_to
             ? fmt::format("{} SMs are best.", sweep.best)
             : fmt::format("From {} to {} SMs the step time is within 0.5 % of the best.",
                           sweep.flat_from,
                           sweep.flat_to);
  const bool own = sweep.own > 0;
  if (own) {
    const double lost = 100 * (point_at(sweep, sweep.own).step / best - 1);
    out += fmt::format(" The recipe's {} cost {:.1f} % more than the best.", sweep.own, lost);
  }
  const Axes axes = axes_of(sweep);
  out += "</p>\n<div class=\"plot\">";
  out += fmt::format(R"(<div class="flat" style="left:{};width:{}"></div>)",
                     percent(axes.x(sweep.flat_from)),
                     percent(axes.x(sweep.flat_to) - axes.x(sweep.flat_from)));
  out += frame(axes) + curve(sweep, axes);
  if (own) {
    out += dot(axes, point_at(sweep, sweep.own), "limit", fmt::format("now: {}", sweep.own));
  }
  if (!own || sweep.own != sweep.best) {
    out += dot(axes, point_at(sweep, sweep.best), "good", fmt::format("best: {}", sweep.best));
  }
  return out + "</div></section>\n";
}

namespace {

using schedule::Node;
using schedule::Stream;
using schedule::Task;
using schedule::TaskKind;
using schedule::TimelineEvent;

struct Lane {
  Stream stream;
  std::string_view title;
  bool thin = false;
};

constexpr std::array<Lane, 3> kLanes = {
    {{Stream::host, "host", true}, {Stream::compute, "compute"}, {Stream::comm, "EP exchange"}}};

std::string_view colour_of(const Task& task) {
  if (task.stream == Stream::host) {
    return task.kind == TaskKind::sync ? "contention" : "host";
  }
  switch (task.node) {
    case Node::attention_forward:
    case Node::attention_backward:
    case Node::attention_wgrad:
      return "attention";
    case Node::experts_forward:
    case Node::experts_backward:
    case Node::experts_wgrad:
      return "experts";
    case Node::dispatch_forward:
    case Node::dispatch_backward:
      return "dispatch";
    case Node::combine_forward:
    case Node::combine_backward:
      return "combine";
    case Node::post_forward:
    case Node::post_backward:
      break;
  }
  return "other";
}

/// The label of a block: "attn fwd" for "attention fwd".
std::string label_of(std::string_view name) {
  constexpr std::string_view kLong = "attention";
  return name.starts_with(kLong) ? fmt::format("attn{}", name.substr(kLong.size()))
                                 : std::string(name);
}

void add_block(std::string& out, const sim::SteadyLayers& picture, const TimelineEvent& event) {
  constexpr double kNarrow = 0.05;  // of the width: too little for a word
  const double width = (event.end - event.start) / picture.timeline.seconds;
  const std::string_view name = slice_name(event.task, picture.delayed_weights, picture.experts);
  const bool late = event.task.kind == TaskKind::node && schedule::is_wgrad(event.task.node);
  out += fmt::format(
      "<div class=\"block{}{}{}{}\" style=\"left:{};width:{};background-color:var(--{})\" "
      "title=\"{}{}, {}, from {}\">{}</div>",
      width < kNarrow ? " narrow" : "",
      event.task.backward ? " back" : "",
      late ? " late" : "",
      event.critical && event.task.stream != Stream::host ? " critical" : "",
      percent(event.start / picture.timeline.seconds),
      percent(width),
      colour_of(event.task),
      event.task.kind == TaskKind::issue ? "launches of " : "",
      name,
      seconds_text(event.end - event.start),
      seconds_text(event.start),
      label_of(name));
}

/// A round number of seconds, so that at most eight ticks fill the chart.
double tick_of(double seconds) {
  constexpr double kMost = 8;
  const double least = seconds / kMost;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) {
      return factor * power;
    }
  }
  return 10 * power;
}

std::string ticks(double seconds) {
  constexpr double kRoom = 0.94;  // after it comes the number at the end
  const double step = tick_of(seconds);
  std::string out = "<div class=\"ticks\"><span style=\"left:0\">0</span>";
  for (int i = 1; i * step < kRoom * seconds; ++i) {
    out += fmt::format(
        R"(<span style="left:{}">{}</span>)", percent(i * step / seconds), seconds_text(i * step));
  }
  out += fmt::format(R"(<span style="left:100%">{}</span></div>)", seconds_text(seconds));
  return out;
}

std::string lanes_of(const sim::SteadyLayers& picture) {
  std::string out = fmt::format("<h3>{}</h3>\n<div class=\"scroll\"><div class=\"lanes\">\n",
                                escaped(picture.title));
  for (const Lane& lane : kLanes) {
    std::string blocks;
    for (const TimelineEvent& event : picture.timeline.events) {
      if (event.task.stream == lane.stream && event.end > event.start) {
        add_block(blocks, picture, event);
      }
    }
    if (!blocks.empty()) {
      out +=
          fmt::format("<div class=\"lane{}\"><span>{}</span><div class=\"blocks\">{}</div></div>\n",
                      lane.thin ? " thin" : "",
                      lane.title,
                      blocks);
    }
  }
  return out + ticks(picture.timeline.seconds) + "</div></div>\n";
}

std::string busy_text(const sim::SteadyLayers& picture) {
  const schedule::Timeline& timeline = picture.timeline;
  const double compute = schedule::busy_time(timeline, 0, Stream::compute);
  const double comm = schedule::busy_time(timeline, 0, Stream::comm);
  const double exposed = schedule::exposed_time(timeline, 0, Stream::comm, Stream::compute);
  std::string text = fmt::format("compute is busy for {:.0f} %", 100 * compute / timeline.seconds);
  if (comm > 0) {
    text += fmt::format(", {:.0f} % of the exchange is hidden", 100 * (1 - exposed / comm));
  }
  return text;
}

}  // namespace

std::string timeline_section(const std::vector<sim::SteadyLayers>& pictures) {
  if (pictures.empty()) {
    return {};
  }
  std::string out =
      "<section><h2>One layer in steady state</h2><p class=\"note\">From the event simulation: ";
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    out += fmt::format("{}{}{}",
                       i > 0 ? "; " : "",
                       pictures.size() > 1 ? std::string(pictures[i].title) + ": " : "",
                       busy_text(pictures[i]));
  }
  out +=
      ". The host lane shows when nodes are launched, which may be well before they run. "
      "Underlined in red: the critical path.</p>\n<ul class=\"legend\">";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds = {
      {{"attention", "attention, router, shared expert"},
       {"experts", "experts (MLP)"},
       {"dispatch", "dispatch"},
       {"combine", "combine"}}};
  std::set<std::string_view> used;
  for (const sim::SteadyLayers& picture : pictures) {
    for (const TimelineEvent& event : picture.timeline.events) {
      used.insert(colour_of(event.task));
    }
  }
  for (const auto& [colour, title] : kKinds) {
    if (used.contains(colour)) {
      out += legend_entry(colour, title);
    }
  }
  if (used.contains("host")) {
    out += legend_entry("host", "launches");
  }
  if (used.contains("contention")) {
    out += legend_entry("contention", "host waits for token counts");
  }
  out += "<li>backward in another shade</li></ul>\n";
  for (const sim::SteadyLayers& picture : pictures) {
    out += lanes_of(picture);
  }
  return out + "</section>\n";
}

}  // namespace epwise::report
