// diagnose: gradients by autodiff against finite differences; fails if any differ too much.
#include <stan/model/model_header.hpp>

#include "run.hpp"

#include <stan/services/diagnose/diagnose.hpp>

namespace scistan::runner {

namespace {

int diagnose(Run& run) {
  run.require_parameters();
  const Argument& gradient = run.method.at("test/gradient");
  CsvWriter csv = std::move(run.open_csv("file")[0]);
  const int failed = stan::services::diagnose::diagnose(
      run.model, *run.inits()[0], run.seed, run.id, run.init_radius(), gradient.real("epsilon"),
      gradient.real("error"), run.interrupt, run.logger, run.no_writer, csv);
  csv.finish();
  if (failed > 0)
    run.logger.error("Error: " + std::to_string(failed) +
                     " gradients differ from finite differences by more than " +
                     gradient.text("error"));
  return failed;
}

const Registration registered("diagnose gradient", diagnose);

}  // namespace

}  // namespace scistan::runner
