#include <stdexcept>

#include "advise/moves.h"
#include "data/archive.h"
#include "expr/archive.h"

namespace epwise::advise {

template <class Archive>
void transfer(Archive& archive, Setting& x) {
  archive(x.fields, x.value);
}

template <class Archive>
void transfer(Archive& archive, Need& x) {
  archive(x.rule, x.what);
}

template <class Archive>
void transfer(Archive& archive, Move& x) {
  archive(x.name, x.sets, x.drops, x.needs, x.stack, x.launch, x.risk, x.because);
}

template <class Archive>
void transfer(Archive& archive, Condition& x) {
  archive(x.axis, x.moves);
}

template <class Archive>
void transfer(Archive& archive, Axis& x) {
  archive(x.name, x.group, x.what, x.tier, x.order, x.check, x.sweep, x.with, x.moves);
}

template <class Archive>
void transfer(Archive& archive, Guideline& x) {
  archive(x.architectures, x.up_to, x.names, x.says);
}

template <class Archive>
void transfer(Archive& archive, Measurement& x) {
  archive(x.constants, x.what);
}

template <class Archive>
void transfer(Archive& archive, Variable& x) {
  archive(x.name, x.what);
}

template <class Archive>
void transfer(Archive& archive, Wall& x) {
  archive(x.name, x.terms, x.from, x.advice);
}

template <class Archive>
void transfer(Archive& archive, Rung& x) {
  archive(x.name, x.title, x.axis, x.moves, x.behind);
}

template <class Archive>
void transfer(Archive& archive, Toll& x) {
  archive(x.rule, x.axis, x.moves, x.wall, x.lost, x.says, x.remedy);
}

template <class Archive>
void transfer(Archive& archive, LatentSizes& x) {
  archive(x.query, x.key_value, x.head, x.rotary, x.value);
}

template <class Archive>
void transfer(Archive& archive, KnownModel& x) {
  archive(x.name, x.source, x.total, x.active, x.layers, x.hidden, x.heads, x.groups, x.head);
  archive(x.experts, x.topk, x.ffn, x.shared, x.vocabulary, x.dense_layers, x.dense_ffn, x.latent);
}

namespace {

template <class Archive>
void transfer_all(Archive& archive, Knowledge& x) {
  archive(x.quick, x.axes, x.by_hardware, x.by_experts, x.measurements, x.any_measurement);
  archive(x.variables, x.walls, x.memory_advice, x.ladder, x.tolls, x.models);
}

}  // namespace

std::string pack(const Knowledge& knowledge) {
  Knowledge copy = knowledge;
  data::Writer writer;
  transfer_all(writer, copy);
  return writer.bytes();
}

Knowledge unpack(std::string_view bytes) {
  Knowledge knowledge;
  data::Reader reader(bytes);
  transfer_all(reader, knowledge);
  if (!reader.at_end()) {
    throw std::runtime_error("compiled table of advice is damaged");
  }
  return knowledge;
}

}  // namespace epwise::advise
