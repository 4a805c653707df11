#include "commands/simulate/trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "ui/json.h"

namespace epwise::report {

namespace {

using schedule::Node;
using schedule::Stream;
using schedule::Task;
using schedule::TaskKind;
using schedule::TimelineEvent;

constexpr int kFirstSendTrack = 6;

/// Tracks of a stage from top to bottom.
int track_of(Stream stream) {
  switch (stream) {
    case Stream::host:
      return 1;
    case Stream::compute:
      return 2;
    case Stream::comm:
      return 3;
    case Stream::replica:
      return 4;
    case Stream::wire:
      break;
  }
  return kFirstSendTrack;
}

std::string_view category_of(const Task& task) {
  switch (task.stream) {
    case Stream::host:
      return "host";
    case Stream::comm:
      return "exchange";
    case Stream::replica:
      return "data parallel";
    case Stream::wire:
      return "pipeline";
    case Stream::compute:
      break;
  }
  return task.kind == TaskKind::optimizer ? "optimizer" : (task.backward ? "backward" : "forward");
}

/// What one chunk of a stage does for one micro-batch.
using PieceName = std::tuple<int, int, int>;  // stage, chunk, micro-batch

PieceName piece_of(const Task& task) {
  return {task.stage, std::max(0, task.chunk), task.micro_batch};
}

/// A receiver begins at most this much before its data's arrival, by rounding. In s.
constexpr double kRounding = 1e-9;

/// The computations of each piece, by their start.
std::map<PieceName, std::vector<const TimelineEvent*>> pieces_of(const sim::StepRun& run) {
  std::map<PieceName, std::vector<const TimelineEvent*>> pieces;
  for (const TimelineEvent& event : run.timeline.events) {
    if (event.task.micro_batch >= 0 && event.task.stream == Stream::compute &&
        event.end > event.start) {
      pieces[piece_of(event.task)].push_back(&event);
    }
  }
  for (auto& [name, events] : pieces) {
    std::ranges::sort(events, {}, &TimelineEvent::start);
  }
  return pieces;
}

/// Of a step with more events than `most`, whole micro-batches: the first, where the pipeline fills,
/// and the last, where it drains. At least two.
std::set<int> shown_micro_batches(const sim::StepRun& run, std::size_t most) {
  std::map<int, std::size_t> sizes;
  std::size_t others = 0;
  for (const TimelineEvent& event : run.timeline.events) {
    ++(event.task.micro_batch < 0 ? others : sizes[event.task.micro_batch]);
  }
  std::set<int> shown;
  std::size_t sum = others;
  auto first = sizes.begin();
  auto last = sizes.rbegin();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool from_front = i % 2 == 0;
    const auto& [micro_batch, size] = from_front ? *first++ : *last++;
    if (shown.size() >= 2 && sum + size > most) {
      break;
    }
    sum += size;
    shown.insert(micro_batch);
  }
  return shown;
}

class TraceEvents {
 public:
  /// Events of a trace below 10 MB, each with its share of flows and counters: about 170 bytes.
  static constexpr std::size_t kMostEvents = 54'000;

  std::string run(const std::vector<TracedRecipe>& recipes) {
    for (const TracedRecipe& recipe : recipes) {
      shown_.push_back(shown_micro_batches(*recipe.run, kMostEvents / recipes.size()));
    }
    out_ = "{\"displayTimeUnit\":\"ms\",\"otherData\":{";
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      describe(recipes[i], shown_[i].size(), i == 0);
    }
    out_ += "},\"traceEvents\":[";
    int process = 0;
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      const TracedRecipe& recipe = recipes[i];
      add(recipe, shown_[i], process, recipes.size() > 1);
      process += recipe.run->nodes.pipeline.stages;
    }
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  /// Metadata of the trace: its own length, and the prediction, which weights launches differently.
  void describe(const TracedRecipe& recipe, std::size_t shown, bool first) {
    const sim::StepRun& run = *recipe.run;
    fmt::format_to(std::back_inserter(out_),
                   "{}{}:{{\"target\":{},\"predicted_step_s\":{:.6g},\"trace_s\":{:.6g},"
                   "\"micro_batches\":{},\"micro_batches_shown\":{},"
                   "\"micro_batches_of_step\":{}}}",
                   first ? "" : ",",
                   json_line(recipe.path),
                   json_line(recipe.target),
                   recipe.predicted,
                   run.timeline.seconds,
                   run.micro_batches,
                   shown,
                   run.nodes.pipeline.micro_batches);
  }

  void next() {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
  }

  void name(std::string_view what, int process, int track, const std::string& text, int place) {
    next();
    fmt::format_to(std::back_inserter(out_),
                   R"({{"name":"{}_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})",
                   what,
                   process,
                   track,
                   json_line(text));
    next();
    fmt::format_to(
        std::back_inserter(out_),
        R"({{"name":"{}_sort_index","ph":"M","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
        what,
        process,
        track,
        place);
  }

  /// Arrows from every send to the computation that waited for it.
  void flows(const sim::StepRun& run,
             const std::set<int>& shown,
             const std::map<PieceName, std::vector<const TimelineEvent*>>& pieces,
             int process) {
    const schedule::Pipeline& pipeline = run.nodes.pipeline;
    for (const TimelineEvent& event : run.timeline.events) {
      const Task& task = event.task;
      if (task.kind != TaskKind::hop || !shown.contains(task.micro_batch)) {
        continue;
      }
      const int to =
          pipeline.position(task.stage, std::max(0, task.chunk)) + (task.backward ? -1 : 1);
      const auto piece = pieces.find({((to % pipeline.stages) + pipeline.stages) % pipeline.stages,
                                      to < 0 ? 0 : to / pipeline.stages,
                                      task.micro_batch});
      if (to < 0 || piece == pieces.end()) {
        continue;
      }
      const auto receiver =
          std::ranges::lower_bound(piece->second, event.end - kRounding, {}, &TimelineEvent::start);
      const auto track = tracks_.find(&event);
      if (receiver == piece->second.end() || track == tracks_.end()) {
        continue;
      }
      ++flow_;
      arrow("s", process + task.stage, track->second, event.start);
      arrow("f", process + (*receiver)->task.stage, track_of(Stream::compute), (*receiver)->start);
    }
  }

  void arrow(std::string_view phase, int process, int track, double seconds) {
    const std::int64_t nanoseconds = std::llround(seconds * kNano);
    next();
    fmt::format_to(
        std::back_inserter(out_),
        R"({{"name":"send","cat":"pipeline","ph":"{}",{}"id":{},"pid":{},"tid":{},"ts":{}.{:03}}})",
        phase,
        phase == "f" ? R"("bp":"e",)" : "",
        flow_,
        process,
        track,
        nanoseconds / 1000,
        nanoseconds % 1000);
  }

  /// How many pieces a stage holds activations of: from the first computation of a piece, which is
  /// forward, to its last, which is backward.
  void counters(const sim::StepRun& run,
                const std::map<PieceName, std::vector<const TimelineEvent*>>& pieces,
                int process) {
    for (int stage = 0; stage < run.nodes.pipeline.stages; ++stage) {
      std::map<std::int64_t, int> changes;
      for (const auto& [name, events] : pieces) {
        if (std::get<0>(name) == stage) {
          double end = 0;
          for (const TimelineEvent* event : events) {
            end = std::max(end, event->end);
          }
          ++changes[std::llround(events.front()->start * kNano)];
          --changes[std::llround(end * kNano)];
        }
      }
      int held = 0;
      for (const auto& [at, change] : changes) {
        if (change == 0) {
          continue;
        }
        held += change;
        next();
        fmt::format_to(std::back_inserter(out_),
                       R"({{"name":"chunks in flight","ph":"C","pid":{},"tid":0,"ts":{}.{:03},)"
                       R"("args":{{"chunks":{}}}}})",
                       process + stage,
                       at / 1000,
                       at % 1000,
                       held);
      }
    }
  }

  void add(const TracedRecipe& recipe, const std::set<int>& shown, int process, bool several) {
    const sim::StepRun& run = *recipe.run;
    const int stages = run.nodes.pipeline.stages;
    std::vector<std::vector<std::int64_t>> sends(static_cast<std::size_t>(stages));
    std::vector<std::array<bool, schedule::kStreamCount>> used(
        static_cast<std::size_t>(stages), std::array<bool, schedule::kStreamCount>{});
    tracks_.clear();
    for (const TimelineEvent& event : run.timeline.events) {
      const auto stage = static_cast<std::size_t>(event.task.stage);
      const bool whole = event.task.micro_batch < 0 || shown.contains(event.task.micro_batch);
      if (whole && slice(recipe, event, process, sends[stage])) {
        used[stage][static_cast<std::size_t>(event.task.stream)] = true;
      }
    }
    const auto pieces = pieces_of(run);
    flows(run, shown, pieces, process);
    counters(run, pieces, process);
    for (int stage = 0; stage < stages; ++stage) {
      const auto at = static_cast<std::size_t>(stage);
      name("process",
           process + stage,
           0,
           fmt::format(
               "{}stage {}{}", several ? recipe.path + " " : "", stage, layers_text(recipe, stage)),
           process + stage);
      for (const auto& [stream, title] : kTitles) {
        if (used[at][static_cast<std::size_t>(stream)]) {
          name("thread", process + stage, track_of(stream), std::string(title), track_of(stream));
        }
      }
      for (std::size_t lane = 0; lane < sends[at].size(); ++lane) {
        const int track = kFirstSendTrack + static_cast<int>(lane);
        name("thread",
             process + stage,
             track,
             lane == 0 ? "pipeline send" : fmt::format("pipeline send {}", lane + 1),
             track);
      }
    }
  }

  static std::string layers_text(const TracedRecipe& recipe, int stage) {
    const auto& chunks = recipe.job->parallel.chunks;
    std::string text;
    for (std::size_t i = static_cast<std::size_t>(stage); i < chunks.size();
         i += static_cast<std::size_t>(recipe.run->nodes.pipeline.stages)) {
      const workload::Chunk& chunk = chunks[i];
      if (chunk.layers > 0) {
        text += fmt::format("{}{}", text.empty() ? ": layers " : ", ", chunk.first);
        text += chunk.layers > 1 ? fmt::format("-{}", chunk.first + chunk.layers - 1) : "";
      }
    }
    return text;
  }

  /// False if it is too short for a slice.
  bool slice(const TracedRecipe& recipe,
             const TimelineEvent& event,
             int process,
             std::vector<std::int64_t>& sends) {
    const std::int64_t start = std::llround(event.start * kNano);
    const std::int64_t end = std::llround(event.end * kNano);
    if (end <= start) {
      return false;
    }
    const Task& task = event.task;
    int track = track_of(task.stream);
    if (task.stream == Stream::wire) {
      auto lane = std::ranges::find_if(sends, [&](std::int64_t free) { return free <= start; });
      if (lane == sends.end()) {
        lane = sends.insert(sends.end(), 0);
      }
      *lane = end;
      track += static_cast<int>(lane - sends.begin());
      tracks_[&event] = track;
    }
    next();
    const sim::StepNodes& nodes = recipe.run->nodes;
    fmt::format_to(
        std::back_inserter(out_),
        R"({{"name":"{}","cat":"{}","ph":"X","pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03},"args":{{)",
        slice_name(task, nodes.rules.delayed_wgrad, has_experts(nodes, task)),
        category_of(task),
        process + task.stage,
        track,
        start / 1000,
        start % 1000,
        (end - start) / 1000,
        (end - start) % 1000);
    arguments(recipe, event);
    out_ += "}}";
    return true;
  }

  void arguments(const TracedRecipe& recipe, const TimelineEvent& event) {
    const Task& task = event.task;
    const auto add = [&](std::string_view key, int value) {
      fmt::format_to(std::back_inserter(out_), R"("{}":{},)", key, value);
    };
    if (task.micro_batch >= 0) {
      add("micro_batch", task.micro_batch);
    }
    if (task.chunk >= 0) {
      add("chunk", task.chunk);
    }
    const auto& chunks = recipe.job->parallel.chunks;
    const schedule::Pipeline& pipeline = recipe.run->nodes.pipeline;
    const auto position =
        static_cast<std::size_t>(pipeline.position(task.stage, std::max(0, task.chunk)));
    if (task.layer >= 0 && position < chunks.size()) {
      add("layer", chunks[position].first + task.layer);
    }
    if (task.kind == TaskKind::node && task.slowdown > 1) {
      fmt::format_to(
          std::back_inserter(out_), R"("undisturbed_us":{:.3f},)", task.duration * kNano / 1000);
    }
    fmt::format_to(std::back_inserter(out_), R"("critical":{})", event.critical);
  }

  static bool has_experts(const sim::StepNodes& nodes, const Task& task) {
    if (task.kind != TaskKind::node && task.kind != TaskKind::issue) {
      return true;
    }
    const auto position = static_cast<std::size_t>(nodes.pipeline.position(task.stage, task.chunk));
    int left = task.layer;
    for (const schedule::LayerRun& run : nodes.runs[position]) {
      if (left < run.count) {
        return nodes.table[static_cast<std::size_t>(run.layer)].exchanges;
      }
      left -= run.count;
    }
    return true;
  }

  static constexpr std::array<std::pair<Stream, std::string_view>, 4> kTitles = {
      {{Stream::host, "host (launches)"},
       {Stream::compute, "compute"},
       {Stream::comm, "EP communication"},
       {Stream::replica, "DP communication"}}};

  static constexpr double kNano = 1e9;

  std::string out_;
  bool first_ = true;
  int flow_ = 0;                                // the last flow's id
  std::vector<std::set<int>> shown_;            // by recipe: its micro-batches in the trace
  std::map<const TimelineEvent*, int> tracks_;  // of the sends of the recipe in work
};

std::string_view node_name(Node node, bool delayed, bool experts) {
  switch (node) {
    case Node::attention_forward:
      return "attention fwd";
    case Node::dispatch_forward:
      return "dispatch fwd";
    case Node::experts_forward:
      return experts ? "experts fwd" : "MLP fwd";
    case Node::combine_forward:
      return "combine fwd";
    case Node::post_forward:
      return "MTP head fwd";
    case Node::post_backward:
      return "MTP head bwd";
    case Node::combine_backward:
      return "combine bwd";
    case Node::experts_backward:
      return experts ? (delayed ? "experts dgrad" : "experts bwd")
                     : (delayed ? "MLP dgrad" : "MLP bwd");
    case Node::experts_wgrad:
      return experts ? "experts wgrad" : "MLP wgrad";
    case Node::dispatch_backward:
      return "dispatch bwd";
    case Node::attention_backward:
      return delayed ? "attention dgrad" : "attention bwd";
    case Node::attention_wgrad:
      break;
  }
  return "attention wgrad";
}

}  // namespace

std::string_view slice_name(const Task& task, bool delayed, bool experts) {
  switch (task.kind) {
    case TaskKind::node:
    case TaskKind::issue:
      return node_name(task.node, delayed, experts);
    case TaskKind::forward:
      return "forward";
    case TaskKind::backward:
      return "backward";
    case TaskKind::pair:
      return "forward + backward";
    case TaskKind::embedding:
      return task.backward ? "embedding bwd" : "embedding fwd";
    case TaskKind::loss:
      return task.backward ? "loss bwd" : "loss fwd";
    case TaskKind::sync:
      return "wait for token counts";
    case TaskKind::hop:
      return task.backward ? "send grad" : "send activation";
    case TaskKind::gather:
      return "param all-gather";
    case TaskKind::reduce:
      return "grad reduce-scatter";
    case TaskKind::optimizer:
      return "optimizer step";
    case TaskKind::meet:
      break;
  }
  return "wait";
}

std::string trace_json(const std::vector<TracedRecipe>& recipes) {
  return TraceEvents().run(recipes);
}

}  // namespace epwise::report
