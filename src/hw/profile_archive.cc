#include "hw/profile_archive.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "data/archive.h"

namespace epwise::hw {

namespace {

struct Number {
  std::string key;
  Sourced number;
};

template <class Archive>
void transfer(Archive& archive, Number& entry) {
  auto& [value, status, source, date] = entry.number;
  archive(entry.key, value.value, value.dimension, status, source, date);
}

template <class Archive>
void transfer(Archive& archive, Profile& profile, std::vector<Number>& numbers) {
  archive(profile.name, profile.aliases, profile.title, profile.architecture, profile.device_name);
  archive(profile.driver_names, profile.cpu, profile.compute_capability, profile.gpus_per_node);
  archive(profile.nvlink_domain, profile.sm_count, profile.partial, numbers);
}

}  // namespace

std::string pack_profile(const Profile& profile) {
  Profile copy = profile;
  std::vector<Number> numbers;
  for (const auto& [key, number] : profile.numbers) {
    numbers.push_back({key, number});
  }
  data::Writer writer;
  transfer(writer, copy, numbers);
  return writer.bytes();
}

Profile unpack_profile(std::string_view bytes) {
  Profile profile;
  std::vector<Number> numbers;
  data::Reader reader(bytes);
  transfer(reader, profile, numbers);
  if (!reader.at_end()) {
    throw std::runtime_error("compiled hardware profile is damaged");
  }
  for (Number& entry : numbers) {
    profile.numbers.emplace(std::move(entry.key), std::move(entry.number));
  }
  return profile;
}

}  // namespace epwise::hw
