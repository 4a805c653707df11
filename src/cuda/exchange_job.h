#pragma once

#include <cstdint>
#include <memory>

#include "cuda/exchange_memory.h"

namespace epwise::cuda {

/// A dispatch, a combine or one of their epilogues whose launch was found to fit. Of an exchange
/// with peers all ranks make it together.
std::unique_ptr<Job> new_exchange_job(Workshop& shop,
                                      const ExchangeShape& shape,
                                      ExchangeTables tables,
                                      std::uint64_t seed);

}  // namespace epwise::cuda
