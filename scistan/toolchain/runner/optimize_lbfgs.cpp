// optimize: a mode of the density by L-BFGS.
#include <stan/model/model_header.hpp>

#include "optimizing.hpp"

#include <stan/services/optimize/lbfgs.hpp>

namespace scistan::runner {

namespace {

template <bool jacobian>
int run_lbfgs(Run& run, const Argument& lbfgs, CsvWriter& csv) {
  return stan::services::optimize::lbfgs<stan::model::model_base, jacobian>(
      run.model, *run.inits()[0], run.seed, run.id, run.init_radius(),
      lbfgs.integer("history_size"), lbfgs.real("init_alpha"), lbfgs.real("tol_obj"),
      lbfgs.real("tol_rel_obj"), lbfgs.real("tol_grad"), lbfgs.real("tol_rel_grad"),
      lbfgs.real("tol_param"), run.method.integer("iter"), run.method.flag("save_iterations"),
      run.refresh, run.interrupt, run.logger, run.no_writer, csv);
}

const Registration registered("optimize lbfgs", optimize<run_lbfgs<false>, run_lbfgs<true>>);

}  // namespace

}  // namespace scistan::runner
