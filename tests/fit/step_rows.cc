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

using Key = std::tuple<std::string, std::string, int>;  // recipe, hw, GPUs

std::size_t lowered(StepRows& rows, const Key& key, const cost::Table& laws) {
  const auto& [recipe, hw, gpus] = key;
  model::WorkloadReading reading = test::workload_of(recipe, hw, gpus);
  if (!reading.problems.empty()) {
    throw std::runtime_error(reading.problems.front().message);
  }
  const sim::ConstantTable& constants = sim::constants();
  const sim::MachineReading machine =
      sim::machine_of(*hw::find_profile(hw), reading.workload.machine, laws, constants);
  if (!machine.problem.empty()) {
    throw std::runtime_error(machine.problem);
  }
  rows.jobs.push_back(std::move(reading.workload));
  rows.works.push_back(sim::lower(rows.jobs.back(), machine.machine, constants.values));
  return rows.works.size() - 1;
}

}  // namespace

StepRows read_step_rows(const std::string& lines, const cost::Table& laws) {
  StepRows result;
  std::map<Key, std::size_t> works;
  std::vector<int> repeats;  // by work
  std::istringstream input(lines);
  for (std::string line; std::getline(input, line);) {
    const auto json = nlohmann::json::parse(line);
    const Key key{json.at("recipe"), json.at("hw"), json.at("gpus")};
    StepRow row;
    row.id = json.at("id");
    row.cluster = json.at("cluster");
    row.seconds = json.at("seconds");
    row.weight = !json.at("trained").get<bool>() ? 0 : json.at("confidence") == "low" ? 0.5 : 1;
    try {
      const auto known = works.find(key);
      row.work = known != works.end() ? known->second : lowered(result, key, laws);
    } catch (const std::exception& error) {
      throw std::runtime_error(row.id + ": " + error.what());
    }
    works.emplace(key, row.work);
    repeats.resize(result.works.size());
    repeats[row.work] += row.weight > 0 ? 1 : 0;
    result.rows.push_back(std::move(row));
  }
  for (StepRow& row : result.rows) {
    row.weight /= std::sqrt(std::max(1, repeats[row.work]));
  }
  return result;
}

}  // namespace epwise::fit
