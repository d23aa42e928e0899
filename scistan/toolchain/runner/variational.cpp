// variational: automatic differentiation variational inference, mean-field and full-rank.
#include <stan/model/model_header.hpp>

#include "run.hpp"

#include <stan/services/experimental/advi/fullrank.hpp>
#include <stan/services/experimental/advi/meanfield.hpp>

namespace scistan::runner {

namespace {

namespace services = stan::services::experimental::advi;

template <auto algorithm>
int variational(Run& run) {
  run.require_parameters();
  const Argument& method = run.method;
  const bool adapt = method.flag("adapt/engaged");
  CsvWriter csv = std::move(run.open_csv("file")[0]);
  CsvWriter diagnostics = std::move(run.open_csv("diagnostic_file")[0]);
  const int code = algorithm(
      run.model, *run.inits()[0], run.seed, run.id, run.init_radius(),
      method.integer("grad_samples"), method.integer("elbo_samples"), method.integer("iter"),
      method.real("tol_rel_obj"), method.real("eta"), adapt, method.integer("adapt/iter"),
      method.integer("eval_elbo"), method.integer("output_samples"), run.interrupt, run.logger,
      run.no_writer, csv, diagnostics);
  // cmdstanpy reads eta from these comments, which Stan writes only after adaptation.
  if (!adapt) {
    csv("Stepsize adaptation not engaged.");
    csv("eta = " + method.text("eta"));
  }
  csv.finish();
  diagnostics.finish();
  return code;
}

const Registration meanfield("variational meanfield",
                             variational<services::meanfield<stan::model::model_base>>);
const Registration fullrank("variational fullrank",
                            variational<services::fullrank<stan::model::model_base>>);

}  // namespace

}  // namespace scistan::runner
