// optimize: a mode of the density by BFGS.
#include <stan/model/model_header.hpp>

#include "optimizing.hpp"

#include <stan/services/optimize/bfgs.hpp>

namespace scistan::runner {

namespace {

template <bool jacobian>
int run_bfgs(Run& run, const Argument& bfgs, CsvWriter& csv) {
  return stan::services::optimize::bfgs<stan::model::model_base, jacobian>(
      run.model, *run.inits()[0], run.seed, run.id, run.init_radius(), bfgs.real("init_alpha"),
      bfgs.real("tol_obj"), bfgs.real("tol_rel_obj"), bfgs.real("tol_grad"),
      bfgs.real("tol_rel_grad"), bfgs.real("tol_param"), run.method.integer("iter"),
      run.method.flag("save_iterations"), run.refresh, run.interrupt, run.logger, run.no_writer,
      csv);
}

const Registration registered("optimize bfgs", optimize<run_bfgs<false>, run_bfgs<true>>);

}  // namespace

}  // namespace scistan::runner
