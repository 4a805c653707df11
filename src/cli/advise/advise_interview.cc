#include "cli/advise/advise_interview.h"

#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "advise/starter.h"
#include "cli/advise/advising.h"
#include "cli/advise/interview.h"
#include "cli/advise/starter_questions.h"
#include "cli/files/overlay_files.h"

namespace epwise::cli {

namespace {

class AdviceInterview {
 public:
  AdviceInterview(Session& session, const Arguments& arguments)
      : session_(session),
        arguments_(arguments),
        questions_(session, arguments) {}

  ExitCode run(const std::function<Advised(Session&, const Arguments&)>& advise) {
    session_.err << "epwise advise: no recipe is given, so a few questions make a starter recipe.\n"
                    "Enter takes what stands in brackets; ? explains, back and quit work.\n\n"
                 << model_list();
    const std::vector<Step> steps = questions_.steps();
    Interview interview(session_.in, session_.err);
    std::size_t from = 0;
    while (interview.run(steps, from)) {
      session_.err << "looking for a layout that fits ...\n";
      std::string problem;
      if (const auto starter = find(problem)) {
        return finish(interview, *starter, advise);
      }
      session_.err << fmt::format("  {}: more GPUs, or other hardware?\n", problem);
      from = questions_.gpus_step();
    }
    session_.err << "epwise: nothing was advised\n";
    return ExitCode::clean;
  }

 private:
  const advise::Start& start() const { return questions_.start(); }

  std::string file_name() const {
    return fmt::format("{}-{}-{}.yaml", start().model.name, start().hw->name, start().gpus);
  }

  Arguments answered() const {
    Arguments arguments = arguments_;
    arguments.operands = {file_name()};
    arguments.add("--hw", {start().hw->name, "your answer"});
    arguments.add("--gpus", {std::to_string(start().gpus), "your answer"});
    arguments.add("--framework", {start().megatron_lm ? "mlm" : "bridge", "your answer"});
    if (!questions_.stack().empty()) {
      arguments.add("--stack", {questions_.stack(), "your answer"});
    }
    return arguments;
  }

  Session with(world::Files& files) const {
    return {session_.in,
            session_.out,
            session_.err,
            files,
            session_.variables,
            session_.terminal,
            session_.devices,
            session_.interruption,
            session_.programs};
  }

  std::optional<advise::Starter> find(std::string& problem) {
    OverlayFiles files(session_.files, {{file_name(), advise::starter_text(start(), {})}});
    Session session = with(files);
    const AdvisedJob job(session, answered(), file_name());
    return advise::find_starter(job.world(), start(), problem);
  }

  ExitCode finish(Interview& interview,
                  const advise::Starter& starter,
                  const std::function<Advised(Session&, const Arguments&)>& advise) {
    OverlayFiles files(session_.files, {{file_name(), starter.text}});
    Session session = with(files);
    const Advised advised = advise(session, answered());
    session_.out << std::flush;
    write(interview, starter.text, advised.planned);
    return advised.code;
  }

  void write(Interview& interview, const std::string& starter, const std::string& planned) {
    std::string choice;
    std::string path;
    const std::vector<Step> steps = {
        {[&]() -> Question {
          return {
              planned.empty() ? "Write the starter recipe (starter, no)"
                              : "Write the recipe (starter, plan, no)",
              "starter",
              "starter: the recipe that was advised on. plan: the same with the first plan. no: "
              "nothing is written.",
              [&](const std::string& answer) -> std::string {
                choice = answer;
                const bool known =
                    answer == "starter" || answer == "no" || (answer == "plan" && !planned.empty());
                return known ? "" : fmt::format("there is no choice `{}`", answer);
              }};
        }},
        {[&]() -> Question {
           return {"File",
                   file_name(),
                   "Where it goes; a file that is there stays.",
                   [&](const std::string& answer) -> std::string {
                     if (session_.files.is_file(answer) || session_.files.is_directory(answer)) {
                       return fmt::format("{} is there already: another name?", answer);
                     }
                     path = answer;
                     return "";
                   }};
         },
         [&] { return choice != "no"; }}};
    if (!interview.run(steps) || choice == "no") {
      session_.err << "epwise: nothing was written\n";
      return;
    }
    session_.files.write_atomically(path, choice == "plan" ? planned : starter);
    session_.err << fmt::format("epwise: wrote {}\n", path);
  }

  Session& session_;
  const Arguments& arguments_;
  StarterQuestions questions_;
};

}  // namespace

bool can_ask(const Session& session, const Arguments& arguments) {
  return session.terminal.in && session.terminal.err && !arguments.flag("--no-input");
}

ExitCode interview_for_advice(Session& session,
                              const Arguments& arguments,
                              const std::function<Advised(Session&, const Arguments&)>& advise) {
  return AdviceInterview(session, arguments).run(advise);
}

}  // namespace epwise::cli
