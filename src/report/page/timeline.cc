#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "report/duration_text.h"
#include "report/page/parts.h"
#include "report/simulate/trace_writer.h"

namespace epwise::report {
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

/// What stands in a block: "attn fwd" for "attention fwd".
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

/// A round number of seconds, at most eight of which fill the picture.
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
  constexpr double kRoom = 0.94;  // behind it the end's own number stands
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
    text += fmt::format(", {:.0f} % of the exchange hides behind it", 100 * (1 - exposed / comm));
  }
  return text;
}

}  // namespace

std::string timeline_section(const std::vector<sim::SteadyLayers>& pictures) {
  if (pictures.empty()) {
    return {};
  }
  std::string out =
      "<section><h2>A layer when the step runs at its pace</h2><p class=\"note\">From the event "
      "simulation: ";
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    out += fmt::format("{}{}{}",
                       i > 0 ? "; " : "",
                       pictures.size() > 1 ? std::string(pictures[i].title) + ": " : "",
                       busy_text(pictures[i]));
  }
  out +=
      ". The host's line shows when nodes are launched, which may be well ahead of when they "
      "run. Underlined in red: what the time depends on.</p>\n<ul class=\"legend\">";
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
  out += "<li>backward is darker</li></ul>\n";
  for (const sim::SteadyLayers& picture : pictures) {
    out += lanes_of(picture);
  }
  return out + "</section>\n";
}

}  // namespace epwise::report
