#include "fit/step_rows.h"

#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "hw/profile.h"
#include "support/workloads.h"

namespace epwise::fit {

namespace {

using Stack = std::map<std::string, std::string>;
// recipe, hw, GPUs, and what the row says of the software, the machine and the environment
using Key = std::tuple<std::string, std::string, int, Stack, std::vector<std::string>, Stack>;

std::size_t lowered(StepRows& rows,
                    const Key& key,
                    const cost::Table& laws,
                    const sim::ConstantTable& constants) {
  const auto& [recipe, hw, gpus, stack, inputs, environment] = key;
  workload::WorkloadReading reading =
      test::workload_of(recipe, hw, gpus, recipe::Framework::bridge, stack, environment);
  if (!reading.problems.empty()) {
    throw std::runtime_error(reading.problems.front().message);
  }
  sim::StatedInputs stated;
  for (const std::string& input : inputs) {
    sim::state(input, reading.workload, stated);
  }
  const sim::MachineReading machine =
      sim::machine_of(*hw::find_profile(hw), reading.workload.machine, laws, constants);
  if (!machine.problem.empty()) {
    throw std::runtime_error(machine.problem);
  }
  rows.jobs.push_back(std::move(reading.workload));
  rows.works.push_back(sim::lower(rows.jobs.back(), machine.machine, constants.values, stated));
  return rows.works.size() - 1;
}

}  // namespace

StepRows read_step_rows(const std::string& lines,
                        const cost::Table& laws,
                        const sim::ConstantTable& constants) {
  StepRows result;
  std::map<Key, std::size_t> works;
  using Recipe = std::tuple<std::string, std::string, int>;
  std::map<Recipe, int> repeats;
  std::vector<Recipe> recipes;  // by row
  std::istringstream input(lines);
  for (std::string line; std::getline(input, line);) {
    const auto json = nlohmann::json::parse(line);
    const Key key{json.at("recipe"),
                  json.at("hw"),
                  json.at("gpus"),
                  json.at("stack").get<Stack>(),
                  json.at("inputs").get<std::vector<std::string>>(),
                  json.at("environment").get<Stack>()};
    StepRow row;
    row.id = json.at("id");
    row.cluster = json.at("cluster");
    row.study = json.at("study");
    row.seconds = json.at("seconds");
    row.weight = !json.at("trained").get<bool>() ? 0 : json.at("confidence") == "low" ? 0.5 : 1;
    try {
      const auto known = works.find(key);
      row.work = known != works.end() ? known->second : lowered(result, key, laws, constants);
    } catch (const std::exception& error) {
      throw std::runtime_error(row.id + ": " + error.what());
    }
    works.emplace(key, row.work);
    recipes.emplace_back(std::get<0>(key), std::get<1>(key), std::get<2>(key));
    repeats[recipes.back()] += row.weight > 0 ? 1 : 0;
    result.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    result.rows[i].weight /= std::sqrt(std::max(1, repeats[recipes[i]]));
  }
  return result;
}

}  // namespace epwise::fit
