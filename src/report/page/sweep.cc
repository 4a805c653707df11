#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/duration_text.h"
#include "report/page/parts.h"

namespace epwise::report {
namespace {

/// Where values stand in the plot, as shares of its width and height.
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
  // Differences below a twentieth are not blown up to the whole height.
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
  std::string out = fmt::format("<section><h2>SMs of the dispatcher</h2><p class=\"note\">");
  if (sweep.points.empty()) {
    if (recipe.dispatcher.empty()) {
      return out + "Nothing is exchanged: every rank has all experts.</p></section>\n";
    }
    return out + fmt::format(
                     "{} has no number of SMs to choose: NCCL's channels decide.</p>"
                     "</section>\n",
                     recipe.dispatcher == "allgather" ? "The all-gather" : "The all-to-all");
  }
  const double best = point_at(sweep, sweep.best).step;
  out += fmt::format(
      "Step time over the SMs of {}'s kernels, everything else equal. More SMs shorten an exchange "
      "until a link binds, and take SMs from what runs beside it. ",
      escaped(recipe.dispatcher));
  out += sweep.flat_from == sweep.flat_to
             ? fmt::format("{} SMs are the best.", sweep.best)
             : fmt::format("From {} to {} SMs it is within 0.5 % of the best.",
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

}  // namespace epwise::report
