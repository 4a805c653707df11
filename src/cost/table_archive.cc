#include <stdexcept>

#include "cost/table_entry.h"
#include "data/archive.h"

namespace epwise::cost {

template <class Archive>
void transfer(Archive& archive, TableEntry::Value& value) {
  archive(value.name, value.unit, value.number, value.least, value.most);
}

template <class Archive>
void transfer(Archive& archive, TableEntry::Bound& bound) {
  archive(bound.name, bound.low, bound.high);
}

template <class Archive>
void transfer(Archive& archive, TableEntry& entry) {
  Basis& basis = entry.basis;
  archive(entry.law, entry.key, entry.values, entry.range, entry.fitted);
  archive(basis.name, basis.source, basis.date, basis.status, basis.relative_sd, basis.rows);
  archive(basis.measured_on, basis.carried_to);
}

std::string pack_entries(std::vector<TableEntry> entries) {
  data::Writer writer;
  writer(entries);
  return writer.bytes();
}

std::vector<TableEntry> unpack_entries(std::string_view bytes) {
  std::vector<TableEntry> entries;
  data::Reader reader(bytes);
  reader(entries);
  if (!reader.at_end()) {
    throw std::runtime_error("compiled law table is damaged");
  }
  return entries;
}

}  // namespace epwise::cost
