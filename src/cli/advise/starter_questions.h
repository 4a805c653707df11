#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "advise/starter.h"
#include "cli/advise/interview.h"
#include "cli/arguments.h"
#include "cli/session.h"
#include "cli/target/this_machine.h"
#include "lint/knowledge.h"

namespace epwise::cli {

/// The models that can be chosen by name or number, one a line.
std::string model_list();

/// What `epwise advise` asks for a starter recipe, and what was answered. Must stay where it is.
class StarterQuestions {
 public:
  /// The arguments' values are the defaults of the questions.
  StarterQuestions(const Session& session, const Arguments& arguments);

  StarterQuestions(const StarterQuestions&) = delete;
  StarterQuestions& operator=(const StarterQuestions&) = delete;

  /// In order; they take answers over into this object.
  std::vector<Step> steps();

  /// Where the number of GPUs is asked, among the steps.
  std::size_t gpus_step() const { return gpus_step_; }

  const advise::Start& start() const { return start_; }

  /// As --stack takes it; empty: not known.
  const std::string& stack() const { return stack_; }

 private:
  Question model_question();
  Question hardware_question();
  Question gpus_question();
  Question precision_question();
  Question framework_question();
  Question stack_question();
  void add_sizes(std::vector<Step>& steps);
  std::string newest_container() const;

  const Arguments& arguments_;
  lint::Knowledge knowledge_;
  ThisMachine machine_;
  advise::Start start_;
  std::string stack_;
  bool asks_sizes_ = false;
  std::size_t gpus_step_ = 0;
};

}  // namespace epwise::cli
