#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// What rules/tables/ holds besides the released containers.
namespace epwise::lint {

/// Releases of one component of the stack, oldest first.
struct ReleaseList {
  std::string_view component;  // "te"
  std::vector<std::string_view> releases;
  std::string_view source;
  std::string_view date;
};

/// Which Megatron-Core a release of Megatron-Bridge brings.
struct Pin {
  std::string_view bridge;
  std::string_view core;
  std::string_view source;
};

/// Rows of one group of the constraint catalogue: EPO001 to EPO052 without 6, 16 and 46.
struct CatalogueGroup {
  std::string_view name;
  std::int32_t rows = 0;  // the highest number
  std::vector<std::int32_t> without;
};

/// A row of the catalogue or a check of upstream's that is no rule, and why.
struct Uncovered {
  std::string_view id;    // "PAR033"; or …
  std::string_view site;  // "training/utils.py setup: what it checks"
  std::string_view reason;
};

/// What people call a derived value: data_parallel_size → d.DP.
struct PlainName {
  std::string_view name;
  std::int32_t slot = -1;
};

/// The line of a fragment in one framework version.
struct SeenAt {
  std::string_view version;  // "bridge 0.5.0", "mlm 0.16.1"
  std::int32_t line = 0;
};

/// A stretch of upstream's source that rules refer to, known by its fingerprint; its text is not
/// kept. rules/fragments.py makes them (rules/README.md, "Fragments").
struct Fragment {
  std::string_view place;    // as references name it: "owner/name@commit path:lines"
  std::string_view symbol;   // the function that holds it: "TransformerConfig.__post_init__"
  std::int32_t start = 0;    // line of its first line at that commit
  std::int32_t count = 0;    // lines that are neither blank nor comment
  std::string_view hash;     // of those lines
  std::vector<SeenAt> seen;  // of the first line of the statement
  std::vector<std::string_view> message;  // hashes of the word triples of the error that it raises
};

/// What further words of a log say about a trouble.
struct TroubleHint {
  std::vector<std::string_view> log;
  std::string_view says;
};

/// An error of a running job that no check of the recipe raises: no memory left, a rank that hangs.
struct Trouble {
  std::string_view name;              // "gpu-memory"
  std::string_view what;              // "a GPU ran out of memory"
  std::vector<std::string_view> log;  // words of which any tells it
  std::string_view why;
  std::vector<TroubleHint> hints;
  std::vector<std::string_view> fields;  // whose values bear on it, as rules name them
  std::vector<std::string_view> rules;   // ids
  std::vector<std::string_view> first;   // what to try, in this order
  std::vector<std::string_view> from;    // public threads
};

struct Tables {
  std::vector<ReleaseList> releases;
  std::vector<Pin> pins;          // oldest release first
  std::vector<Trouble> troubles;  // in the table's order
  std::vector<CatalogueGroup> catalogue;
  std::vector<Uncovered> uncovered;
  std::vector<PlainName> plain_names;
  std::vector<Fragment> fragments;  // sorted by place
};

}  // namespace epwise::lint
