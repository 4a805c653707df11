#include "recipe/bridge/document_merge.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace epwise::recipe {
namespace {

void merge(yaml::Node& into, yaml::Node from) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < into.entries.size(); ++i) {
    places[into.entries[i].key] = i;
  }
  for (yaml::Entry& entry : from.entries) {
    const auto [place, fresh] = places.try_emplace(entry.key, into.entries.size());
    if (fresh) {
      into.entries.push_back(std::move(entry));
      continue;
    }
    yaml::Entry& present = into.entries[place->second];
    if (present.value.is_mapping() && entry.value.is_mapping()) {
      merge(present.value, std::move(entry.value));
    } else {
      present = std::move(entry);
    }
  }
}

}  // namespace

void merge_documents(std::vector<yaml::Document>& documents) {
  for (std::size_t i = 1; i < documents.size(); ++i) {
    if (documents.front().root.is_mapping() && documents[i].root.is_mapping()) {
      merge(documents.front().root, std::move(documents[i].root));
    } else {
      documents.front().root = std::move(documents[i].root);
    }
  }
  documents.resize(std::min<std::size_t>(documents.size(), 1));
}

}  // namespace epwise::recipe
