#pragma once

#include "model/field_reader.h"
#include "model/workload.h"

namespace epwise::model {

/// Sizes of all groups. Where the GPUs don't divide into them, the number of replicas is rounded
/// down and noted as assumed. Chunks are not set.
void read_parallel(FieldReader& reader, Workload& workload);

/// Batch sizes, and the micro-batches of a step: rounded, at least 1.
Batch read_batch(FieldReader& reader, const Parallel& parallel);

/// Which layers stand in which chunk, and what is assumed about it. Needs the architecture, the
/// parallel sizes and whether communication is overlapped: an overlap in a pipeline without chunks
/// is not legal, and is predicted with chunks of one layer.
void read_chunks(FieldReader& reader, Workload& workload);

/// The profile's figures. An NVLink domain of 72 GPUs counts as 64, for published jobs run in
/// segments of that size.
Machine read_machine(FieldReader& reader);

}  // namespace epwise::model
