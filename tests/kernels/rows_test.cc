// Kernels that move and compute rows, against the references, every element.

#include <cmath>

#include <doctest/doctest.h>

#include "exchange_world.h"
#include "gpu/abi/reference.h"

namespace epwise::kernel_tests {

namespace {

using abi::Bf16;

std::vector<Bf16> values_of(Buffer& buffer) {
  return {buffer.as<Bf16>(), buffer.as<Bf16>() + buffer.size() / 2};
}

void put(Buffer& buffer, const std::vector<std::uint32_t>& words) {
  std::copy(words.begin(), words.end(), buffer.as<std::uint32_t>());
}

}  // namespace

TEST_CASE("copy, read and write reach every vector, with any number of blocks") {
  for (const std::uint64_t count : {1U, 31U, 2049U, 5000U}) {
    for (const int blocks : {1, 3}) {
      emulator::Device device(count, 4);
      Buffer source(count * 16);
      Buffer target(count * 16);
      Buffer sum(4);
      *sum.as<std::uint32_t>() = 0;
      const auto words = abi::filled(abi::kFillWords, 3, count * 4);
      put(source, words);
      abi::StreamArguments arguments = {};
      arguments.source = source.as<const abi::Vector16>();
      arguments.target = target.as<abi::Vector16>();
      arguments.count = count;
      arguments.sum = sum.as<std::uint32_t>();
      arguments.seed = 77;
      device.run(launch_of("epwise_memory_copy", blocks, abi::kStreamThreads, 0, arguments));
      CHECK(std::equal(words.begin(), words.end(), target.as<std::uint32_t>()));
      device.run(launch_of("epwise_memory_read", blocks, abi::kStreamThreads, 0, arguments));
      CHECK(*sum.as<std::uint32_t>() == abi::word_sum(words));
      device.run(launch_of("epwise_memory_write", blocks, abi::kStreamThreads, 0, arguments));
      CHECK(std::all_of(target.as<std::uint32_t>(),
                        target.as<std::uint32_t>() + count * 4,
                        [](std::uint32_t word) { return word == 77; }));
      CHECK(!target.overrun());
    }
  }
}

TEST_CASE("the bulk copy keeps its queue in order") {
  for (const std::uint64_t bytes : {16U, 1000U * 16U, 4096U * 16U + 48U}) {
    for (const std::uint32_t stages : {1U, 2U, 3U}) {
      emulator::Device device(bytes + stages, 4);
      Buffer source(bytes);
      Buffer target(bytes);
      const auto words = abi::filled(abi::kFillWords, 5, bytes / 4);
      put(source, words);
      const abi::BulkCopyArguments arguments = {source.data(), target.data(), bytes, 256, stages};
      device.run(launch_of(
          "epwise_memory_bulk_copy", 2, 64, abi::kBarrierBytes + 2 * 256 * stages, arguments));
      CHECK(std::equal(words.begin(), words.end(), target.as<std::uint32_t>()));
      CHECK(!target.overrun());
    }
  }
}

TEST_CASE("fill and compare agree, and compare finds what differs") {
  emulator::Device device(1, 4);
  for (const auto fill :
       {abi::kFillBf16, abi::kFillBf16Integers, abi::kFillE4m3, abi::kFillFloat, abi::kFillWords}) {
    Buffer words(4 * 999);
    const abi::FillArguments made = {words.as<std::uint32_t>(), 999, 9, fill};
    device.run(launch_of("epwise_fill", 2, 64, 0, made));
    const auto wanted = abi::filled(fill, 9, 999);
    CHECK(std::equal(wanted.begin(), wanted.end(), words.as<std::uint32_t>()));
    std::uint64_t wrong[2] = {0, ~std::uint64_t{0}};
    abi::CompareArguments arguments = {words.as<std::uint32_t>() + 10, 989, 10, 9, fill, wrong};
    device.run(launch_of("epwise_compare", 2, 64, 0, arguments));
    CHECK(wrong[0] == 0);
    words.as<std::uint32_t>()[500] ^= 1U;
    words.as<std::uint32_t>()[700] ^= 1U;
    device.run(launch_of("epwise_compare", 2, 64, 0, arguments));
    CHECK(wrong[0] == 2);
    CHECK(wrong[1] == 490);
  }
}

TEST_CASE("permute and unpermute, with dropped copies and padding") {
  const std::int32_t width = 72;
  auto routing = abi::seeded_routing(29, 3, 7, 4);
  routing.chosen[5] = -1;
  routing.chosen[40] = -1;
  const auto row_of = abi::rows_by_expert(routing);
  const std::int64_t rows_out = 29 * 3 + 2;
  emulator::Device device(8, 4);
  Buffer rows(29 * width * 2);
  put(rows, abi::filled(abi::kFillBf16Integers, 6, rows.size() / 4));
  Buffer permuted(static_cast<std::size_t>(rows_out) * width * 2);
  const auto input = values_of(rows);
  const Bf16 blank = values_of(permuted).front();
  const abi::PermuteArguments forward = {
      rows.as<abi::Vector16>(), row_of.data(), permuted.as<abi::Vector16>(), 29, 3, width / 8};
  device.run(launch_of("epwise_permute", 5, 64, 0, forward));
  CHECK(values_of(permuted) == abi::permuted(input, row_of, 3, width, rows_out, blank));
  CHECK(!permuted.overrun());

  std::vector<float> weights;
  for (std::size_t i = 0; i < row_of.size(); ++i) {
    weights.push_back(i % 2 == 0 ? 0.5F : 2.0F);
  }
  Buffer back(rows.size());
  const abi::UnpermuteArguments backward = {permuted.as<abi::Vector16>(),
                                            row_of.data(),
                                            weights.data(),
                                            back.as<abi::Vector16>(),
                                            29,
                                            3,
                                            width / 8};
  device.run(launch_of("epwise_unpermute", 5, 64, 0, backward));
  for (std::size_t token = 0; token < 29; ++token) {
    std::vector<std::vector<Bf16>> copies;
    std::vector<float> shares;
    for (std::size_t copy = 0; copy < 3; ++copy) {
      if (row_of[3 * token + copy] >= 0) {
        copies.emplace_back(input.begin() + static_cast<std::ptrdiff_t>(token) * width,
                            input.begin() + static_cast<std::ptrdiff_t>(token + 1) * width);
        shares.push_back(weights[3 * token + copy]);
      }
    }
    const auto wanted = abi::unpermuted_row(copies, shares);
    CHECK(std::equal(wanted.begin(), wanted.end(), back.as<Bf16>() + token * width));
  }
}

TEST_CASE("swiglu is within the rounding of bf16, with and without weights") {
  const std::size_t width = 40;
  const std::size_t rows = 11;
  emulator::Device device(2, 4);
  Buffer input(rows * 2 * width * 2);
  put(input, abi::filled(abi::kFillBf16, 3, input.size() / 4));
  Buffer output(rows * width * 2);
  const std::vector<float> weights(rows, 0.75F);
  for (const float* given : {weights.data(), static_cast<const float*>(nullptr)}) {
    const abi::SwigluArguments arguments = {
        input.as<abi::Vector16>(), given, output.as<abi::Vector16>(), 11, 5};
    device.run(launch_of("epwise_swiglu", 3, 64, 0, arguments));
    const auto gate_up = values_of(input);
    std::vector<double> found;
    std::vector<double> wanted;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto made = abi::swiglu_row(std::span(gate_up).subspan(row * 2 * width, 2 * width),
                                        given == nullptr ? 1.0F : 0.75F);
      wanted.insert(wanted.end(), made.begin(), made.end());
      for (std::size_t i = 0; i < width; ++i) {
        found.push_back(abi::from_bf16(output.as<Bf16>()[row * width + i]));
      }
    }
    CHECK(abi::relative_error(found, wanted) < 3e-3);
  }
}

TEST_CASE("rows in fp8 have the reference's values and scales, bit by bit") {
  const std::int32_t groups = 3;
  emulator::Device device(2, 4);
  Buffer rows(7 * 128 * groups * 2);
  put(rows, abi::filled(abi::kFillBf16, 21, rows.size() / 4));
  std::fill_n(rows.as<Bf16>() + 128, 128, Bf16{0});  // a group of zeros has scale 1
  Buffer quantized(7 * 128 * groups);
  Buffer scales(7 * groups * 4);
  const abi::QuantizeArguments arguments = {
      rows.as<abi::Vector16>(), quantized.as<std::uint32_t>(), scales.as<float>(), 7, groups};
  device.run(launch_of("epwise_quantize", 3, 64, 0, arguments));
  const auto input = values_of(rows);
  for (std::size_t token = 0; token < 7; ++token) {
    const auto wanted = abi::quantized_row(std::span(input).subspan(token * 384, 384));
    CHECK(std::equal(wanted.values.begin(), wanted.values.end(), quantized.data() + token * 384));
    CHECK(std::equal(
        wanted.scales.begin(), wanted.scales.end(), scales.as<float>() + token * groups));
  }
}

TEST_CASE("the router chooses as the reference does, ties and both weightings") {
  for (const std::int32_t experts : {5, 64, 257}) {
    for (const bool sigmoid : {false, true}) {
      const std::int32_t tokens = 13;
      const std::int32_t topk = 4;
      std::vector<float> logits;
      for (std::int32_t i = 0; i < tokens * experts; ++i) {
        logits.push_back(
            std::floor(4 * abi::uniform(2, static_cast<std::uint64_t>(i))));  // many ties
      }
      Buffer chosen(static_cast<std::size_t>(tokens * topk) * 4);
      Buffer weights(static_cast<std::size_t>(tokens * topk) * 4);
      Buffer map(static_cast<std::size_t>(tokens * experts));
      const abi::RouterArguments arguments = {logits.data(),
                                              chosen.as<std::int32_t>(),
                                              weights.as<float>(),
                                              map.data(),
                                              tokens,
                                              experts,
                                              topk,
                                              sigmoid ? 1 : 0};
      emulator::Device device(3, 4);
      device.run(launch_of("epwise_router", 2, 64, 0, arguments));
      for (std::int32_t token = 0; token < tokens; ++token) {
        const auto row = std::span(logits).subspan(static_cast<std::size_t>(token * experts),
                                                   static_cast<std::size_t>(experts));
        const auto wanted = abi::routed_token(row, topk, sigmoid);
        int ones = 0;
        for (std::int32_t choice = 0; choice < topk; ++choice) {
          const auto place = static_cast<std::size_t>(token * topk + choice);
          CHECK(chosen.as<std::int32_t>()[place] ==
                wanted.experts[static_cast<std::size_t>(choice)]);
          CHECK(weights.as<float>()[place] ==
                doctest::Approx(wanted.probabilities[static_cast<std::size_t>(choice)])
                    .epsilon(1e-5));
          ones += map.data()[token * experts + wanted.experts[static_cast<std::size_t>(choice)]];
        }
        CHECK(ones == topk);
        CHECK(std::count(map.data() + token * experts, map.data() + (token + 1) * experts, 1) ==
              topk);
      }
    }
  }
}

TEST_CASE("the scan counts, adds up and places exactly, with more blocks than tokens too") {
  for (const int blocks : {1, 3, 7}) {
    const std::int32_t tokens = 5;
    const std::int32_t experts = 70;
    std::vector<std::uint8_t> map;
    for (std::int32_t i = 0; i < tokens * experts; ++i) {
      map.push_back(abi::mixed(6, static_cast<std::uint64_t>(i)) % 3 == 0 ? 1 : 0);
    }
    const auto wanted = abi::scanned(map, experts);
    std::vector<std::int32_t> partial(static_cast<std::size_t>(blocks * experts));
    std::vector<std::int32_t> offsets(wanted.offsets.size());
    std::vector<std::int32_t> places(wanted.places.size());
    std::uint32_t finished[2] = {0, 0};
    const abi::ScanArguments arguments = {
        map.data(), partial.data(), offsets.data(), places.data(), finished, tokens, experts};
    emulator::Device device(static_cast<std::uint64_t>(blocks), 4);
    for (int turn = 0; turn < 2; ++turn) {
      device.run(launch_of("epwise_scan_counts", blocks, 64, 16, arguments));
      device.run(launch_of("epwise_scan_places", blocks, 64, 0, arguments));
      CHECK(offsets == wanted.offsets);
      CHECK(places == wanted.places);
      CHECK(finished[0] == 0);
    }
  }
}

TEST_CASE("pieces are copied whole, whatever the chunk") {
  const std::vector<std::uint64_t> bytes = {48, 0, 16000, 640};
  std::vector<Buffer> sources;
  std::vector<Buffer> targets;
  std::vector<const std::uint8_t*> from;
  std::vector<std::uint8_t*> to;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sources.emplace_back(bytes[i]);
    targets.emplace_back(bytes[i]);
    put(sources.back(), abi::filled(abi::kFillWords, i, bytes[i] / 4));
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    from.push_back(sources[i].data());
    to.push_back(targets[i].data());
  }
  const abi::PieceCopyArguments arguments = {from.data(), to.data(), bytes.data(), 4, 512, nullptr};
  emulator::Device device(1, 4);
  device.run(launch_of("epwise_copy_pieces", 3, 64 * 10, 0, arguments));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CHECK(std::equal(to[i], to[i] + bytes[i], from[i]));
    CHECK(!targets[i].overrun());
  }
}

}  // namespace epwise::kernel_tests
