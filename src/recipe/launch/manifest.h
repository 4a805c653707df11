#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/text/source_file.h"
#include "recipe/arguments/arguments.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/node.h"
#include "yaml/parse.h"

namespace epwise::recipe {

/// Whether a document describes an object of Kubernetes: it has `apiVersion` and `kind`.
bool is_manifest(const yaml::Node& root);

/// The files that the ConfigMaps of a stream hold, as texts in which everything else is blank: an
/// offset is the same in both.
class ManifestFiles {
 public:
  ManifestFiles(const text::SourceFile& file, const yaml::Stream& stream);

  /// The file that a container finds under this path, by its last name; null pointer if there is
  /// none.
  std::shared_ptr<const text::SourceFile> open(const std::string& path);

  /// Those of one document that `open` never returned: YAML files and shell scripts.
  std::vector<std::shared_ptr<const text::SourceFile>> unopened(const yaml::Document& document,
                                                                bool scripts) const;

 private:
  struct Held {
    std::string name;
    int document = 1;
    std::shared_ptr<const text::SourceFile> file;
    bool opened = false;
  };

  std::vector<Held> held_;
};

/// The trainings that the containers of a PyTorchJob, MPIJob, JobSet, Job, Pod or any other object
/// with pod templates start, each command once. Replicas and `nvidia.com/gpu` give the number of
/// ranks if the command does not. Empty: it starts none.
std::vector<Recipe> read_manifest(
    const yaml::Node& root,
    const Request& request,
    const Recipe& start,
    const std::vector<Word>& words,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
