#include "cost/question.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/spelling.h"

namespace epwise::cost {

namespace {

constexpr std::string_view kChip = "hw";

std::vector<std::string_view> chip_names(const Table& table) {
  std::vector<std::string_view> names;
  for (const Chip& chip : table.chips) {
    names.push_back(chip.name);
  }
  return names;
}

const Argument* find(const Question& question, std::string_view name) {
  const auto found = std::find_if(question.arguments.begin(),
                                  question.arguments.end(),
                                  [&](const Argument& each) { return each.name == name; });
  return found == question.arguments.end() ? nullptr : &*found;
}

const Chip* read_chip(const Table& table,
                      const Question& question,
                      std::vector<std::string>& problems) {
  const Argument* argument = find(question, kChip);
  const auto names = chip_names(table);
  if (argument == nullptr) {
    problems.push_back(
        fmt::format("`hw` (the chip) is missing: one of {}", fmt::join(names, ", ")));
    return nullptr;
  }
  const Chip* chip = table.find_chip(argument->text);
  if (chip == nullptr) {
    problems.push_back(fmt::format("no law knows the chip `{}`{} They know {}",
                                   argument->text,
                                   text::did_you_mean(argument->text, names).empty()
                                       ? "."
                                       : text::did_you_mean(argument->text, names),
                                   fmt::join(names, ", ")));
  }
  return chip;
}

void check_names(const Inquiry& inquiry,
                 const Question& question,
                 std::vector<std::string>& problems) {
  std::vector<std::string_view> names = {kChip};
  for (const Parameter& parameter : inquiry.parameters) {
    names.push_back(parameter.name);
  }
  std::vector<std::string_view> seen;
  for (const Argument& argument : question.arguments) {
    if (std::find(names.begin(), names.end(), argument.name) == names.end()) {
      problems.push_back(fmt::format("`{}` takes no `{}`{}",
                                     inquiry.name,
                                     argument.name,
                                     text::did_you_mean(argument.name, names)));
    } else if (std::find(seen.begin(), seen.end(), argument.name) != seen.end()) {
      problems.push_back(fmt::format("`{}` is given twice", argument.name));
    }
    seen.push_back(argument.name);
  }
}

Values read_values(const Inquiry& inquiry,
                   const Question& question,
                   std::vector<std::string>& problems) {
  Values values;
  for (const Parameter& parameter : inquiry.parameters) {
    const Argument* argument = find(question, parameter.name);
    if (argument != nullptr) {
      values.read(parameter, argument->text, problems);
    } else if (parameter.otherwise.empty()) {
      problems.push_back(fmt::format("`{}` ({}) is missing", parameter.name, parameter.meaning));
    } else {
      values.read(parameter, parameter.otherwise, problems);
    }
  }
  return values;
}

}  // namespace

const std::vector<Inquiry>& inquiries() {
  static const std::vector<Inquiry> all = [] {
    std::vector<Inquiry> list = kernel_inquiries();
    std::vector<Inquiry> traffic = traffic_inquiries();
    list.insert(list.end(),
                std::make_move_iterator(traffic.begin()),
                std::make_move_iterator(traffic.end()));
    return list;
  }();
  return all;
}

const Inquiry* find_inquiry(std::string_view name) {
  const auto& all = inquiries();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Inquiry& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<Request> read_request(const Table& table,
                                    const Question& question,
                                    std::vector<std::string>& problems) {
  const Inquiry* inquiry = find_inquiry(question.law);
  if (inquiry == nullptr) {
    std::vector<std::string_view> names;
    for (const Inquiry& each : inquiries()) {
      names.push_back(each.name);
    }
    problems.push_back(fmt::format("no law is called `{}`{}; there are {}",
                                   question.law,
                                   text::did_you_mean(question.law, names),
                                   fmt::join(names, ", ")));
    return std::nullopt;
  }
  Request request{inquiry, read_chip(table, question, problems), {}};
  check_names(*inquiry, question, problems);
  request.values = read_values(*inquiry, question, problems);
  if (problems.empty() && inquiry->check != nullptr) {
    inquiry->check(request.values, problems);
  }
  if (!problems.empty()) {
    return std::nullopt;
  }
  return request;
}

Answer answer(const Table& table, const Question& question) {
  Answer answer;
  if (const auto request = read_request(table, question, answer.problems)) {
    answer.cost = request->ask(table);
  }
  return answer;
}

}  // namespace epwise::cost
