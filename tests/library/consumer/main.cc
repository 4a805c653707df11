// consumer RECIPE: says of a recipe what `epwise lint` and `epwise simulate` say; consumer.sh compares.

#include <cstdio>
#include <epwise/epwise.h>

namespace {

epwise::Session session() {
  epwise::Options options;
  options.hw = "h100";
  options.gpus = 16;
  options.stack = {"bridge=0.6.2", "te=2.14.0", "torch=2.9.1"};
  options.configuration = "none";
  return epwise::Session(options);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    return 2;
  }
  try {
    const epwise::Recipe recipe = epwise::Recipe::file(words[1]);
    const epwise::LintResult linted = session().lint(recipe);
    std::fputs(linted.json.c_str(), stdout);
    const epwise::Prediction predicted = session().simulate(recipe);
    std::fputs(predicted.json.c_str(), stdout);
    return linted.exit_code;
  } catch (const epwise::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
