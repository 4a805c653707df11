#include "commands/lint/fix_output.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/text/line_diff.h"
#include "lint/rule.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

void check_inputs_of_fix(const FileSelection& selection,
                         const std::vector<std::string>& operands,
                         const os::Files& files) {
  if (selection.unreadable.empty() && !selection.empty.empty()) {
    throw os::NothingError(fmt::format("{}; nothing changed", fmt::join(selection.empty, "; ")));
  }
  if (selection.unreadable.empty()) {
    return;
  }
  for (const lint::Tier tier :
       {lint::Tier::neutral, lint::Tier::performance, lint::Tier::training}) {
    const std::string name(lint::to_string(tier));
    if (std::ranges::find(operands, name) != operands.end() && !files.is_file(name) &&
        !files.is_directory(name)) {
      throw os::UsageError(
          fmt::format("there is no file `{}`; did you mean --fix={}?", name, name));
    }
  }
  throw os::MissingError(fmt::format("{}; nothing changed", fmt::join(selection.unreadable, "; ")));
}

namespace {

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

std::string_view consequence(lint::Tier tier) {
  return tier == lint::Tier::training ? "the numerics" : "speed or memory";
}

}  // namespace

std::string shell_joined(const std::vector<std::string>& words) {
  std::vector<std::string> quoted(words.size());
  std::ranges::transform(words, quoted.begin(), shell_quoted);
  return fmt::format("{}", fmt::join(quoted, " "));
}

std::optional<FixOrder> fix_order(const Arguments& arguments) {
  const std::optional<Setting> tier = arguments.one("--fix");
  const bool show = arguments.flag("--diff");
  if (!tier && !show) {
    return std::nullopt;
  }
  FixOrder order{lint::Tier::neutral, show};
  for (const lint::Tier each : {lint::Tier::performance, lint::Tier::training}) {
    if (tier && tier->value == lint::to_string(each)) {
      order.highest = each;
    }
  }
  return order;
}

std::string command_with_tier(const std::vector<std::string>& line, lint::Tier tier) {
  const std::string wanted = fmt::format("--fix={}", lint::to_string(tier));
  std::vector<std::string> words{"epwise"};
  bool there = false;
  bool behind = false;  // `--`: words of the launch
  for (const std::string& word : line) {
    behind = behind || word == "--";
    const bool fix = !behind && (word == "--fix" || word.starts_with("--fix="));
    if (behind && !there) {
      words.push_back(wanted);
    }
    there = there || fix || behind;
    words.push_back(fix ? wanted : word);
  }
  if (!there) {
    words.push_back(wanted);
  }
  return shell_joined(words);
}

void FixOutput::say(const std::string& sentence) {
  console_.err << "epwise: " << sentence << '\n';
}

void FixOutput::add(const LintTask& task, const FixedText& fixed) {
  for (const auto& [tier, count] : fixed.left) {
    left_[tier] += count;
  }
  try {
    write(task, fixed);
  } catch (const os::MissingError& error) {
    say(fmt::format("{}; the report is about the fixed text, which was not written", error.what()));
    code_ = worst(code_, ExitCode::unreadable);
  }
}

void FixOutput::write(const LintTask& task, const FixedText& fixed) {
  const bool file_changed = fixed.before.bytes != fixed.after.bytes;
  const bool words_changed = fixed.before.words != fixed.after.words;
  const bool real_file = !task.source.text && !task.source.words_only;
  if (order_.show_only) {
    console_.out << text::unified_diff(task.source.path, fixed.before.bytes, fixed.after.bytes);
    if (words_changed) {
      console_.out << text::unified_diff("<command line>",
                                         shell_joined(fixed.before.words) + "\n",
                                         shell_joined(fixed.after.words) + "\n");
    }
    code_ = file_changed || words_changed ? worst(code_, ExitCode::findings) : code_;
  } else if (task.source.text) {
    console_.out << fixed.after.bytes;
  } else if (task.source.words_only) {
    console_.out << shell_joined(fixed.after.words) << '\n';
  } else if (file_changed) {
    const bool written =
        console_.files.replace_atomically(task.source.path, fixed.before.bytes, fixed.after.bytes);
    // else it may have been fixed under another name: a link
    if (!written && console_.files.read(task.source.path) != fixed.after.bytes) {
      throw os::MissingError(fmt::format("{} was modified by another process", task.source.path));
    }
  }
  changed_ += file_changed || words_changed ? 1 : 0;
  tell(task, fixed);
  if (words_changed && real_file) {
    say(fmt::format("{}: after `--` write {}", task.source.path, shell_joined(fixed.after.words)));
  }
}

void FixOutput::tell(const LintTask& task, const FixedText& fixed) {
  if (fixed.repairs.empty()) {
    say(fmt::format(
        "{}: nothing to fix within `{}`", task.source.path, lint::to_string(order_.highest)));
  } else {
    std::size_t changes = 0;
    for (const fix::Repair& repair : fixed.repairs) {
      changes += repair.edits.size();
    }
    say(fmt::format("{}: {}{}",
                    task.source.path,
                    report::counted(static_cast<int>(changes), "change"),
                    order_.show_only ? " would be made" : " made"));
  }
  for (const fix::Repair& repair : fixed.repairs) {
    std::vector<std::string> edits(repair.edits.size());
    std::ranges::transform(repair.edits, edits.begin(), [&](const fix::Repair::Edit& edit) {
      return fix::to_text(edit, fixed.of_words);
    });
    console_.err << fmt::format(
        "  {} ({}, {})\n", fmt::join(edits, ", "), lint::to_string(repair.tier), repair.rule);
  }
  tell_spared(task, fixed.spared_by_comments, "a comment accepts", "--no-ignores");
  tell_spared(task, fixed.spared_by_baseline, "the baseline contains", "--baseline none");
  if (!told_) {
    for (const std::string& sentence : fixed.unsettled) {
      say(sentence);
    }
  }
  if (fixed.bounded) {
    say(fmt::format(
        "{}: the search for the smallest set of changes was cut short; fewer may suffice",
        task.source.path));
  }
}

void FixOutput::tell_spared(const LintTask& task,
                            int count,
                            std::string_view who,
                            std::string_view option) {
  if (count > 0) {
    say(fmt::format("{}: {} that {} {} not fixed; {} also fixes {}",
                    task.source.path,
                    report::counted(count, "finding"),
                    who,
                    count == 1 ? "is" : "are",
                    option,
                    count == 1 ? "it" : "them"));
  }
}

ExitCode FixOutput::finish() {
  for (const auto& [tier, count] : left_) {
    say(fmt::format("{} {} changes of {}: {}",
                    report::counted(static_cast<int>(count), "finding"),
                    count == 1 ? "needs" : "need",
                    consequence(tier),
                    command_with_tier(line_, tier)));
  }
  return code_;
}

}  // namespace epwise::cli
