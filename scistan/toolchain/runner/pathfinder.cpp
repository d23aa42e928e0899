// pathfinder: draws from normal approximations along one or several paths of L-BFGS.
#include <stan/model/model_header.hpp>

#include "run.hpp"

#include <stan/services/pathfinder/multi.hpp>

namespace scistan::runner {

namespace {

namespace services = stan::services::pathfinder;

#if STAN_MAJOR == 2 && STAN_MINOR <= 35
// The variant that also returns the draws: the one that several paths need is then compiled once.
constexpr bool returns_draws = true;
#else  // where that variant writes none
constexpr bool returns_draws = false;
#endif

int code_of(int code) { return code; }
template <typename Result>
int code_of(const Result& result) {
  return std::get<0>(result);
}

int run_one_path(Run& run, CsvWriter& csv) {
  const Argument& method = run.method;
  const std::string& diagnostic_path = run.settings.text("output/diagnostic_file");
  JsonWriter diagnostics = !diagnostic_path.empty()
                               ? open_json(diagnostic_path, run.significant_figures)
                           : method.flag("save_single_paths")
                               ? run.open_json_beside("_path", run.id, true)
                               : JsonWriter();
  return code_of(services::pathfinder_lbfgs_single<returns_draws>(
      run.model, *run.inits()[0], run.seed, run.id, run.init_radius(),
      method.integer("history_size"), method.real("init_alpha"), method.real("tol_obj"),
      method.real("tol_rel_obj"), method.real("tol_grad"), method.real("tol_rel_grad"),
      method.real("tol_param"), method.integer("max_lbfgs_iters"),
      method.integer("num_elbo_draws"), method.integer("num_draws"),
      method.flag("save_single_paths") || !diagnostic_path.empty(), run.refresh, run.interrupt,
      run.logger, run.no_writer, csv, diagnostics, method.flag("calculate_lp")));
}

int run_several_paths(Run& run, CsvWriter& csv, unsigned paths) {
  const Argument& method = run.method;
  const bool save = method.flag("save_single_paths");
  std::vector<stan::callbacks::writer> init_writers(paths);
  std::vector<CsvWriter> path_draws
      = save ? run.open_csv("file", paths, "_path") : std::vector<CsvWriter>(paths);
  std::vector<JsonWriter> path_diagnostics;
  for (unsigned i = 0; i < paths; ++i)
    path_diagnostics.push_back(save ? run.open_json_beside("_path", run.id + i, true)
                                    : JsonWriter());
  const int code = services::pathfinder_lbfgs_multi(
      run.model, run.inits(paths), run.seed, run.id, run.init_radius(),
      method.integer("history_size"), method.real("init_alpha"), method.real("tol_obj"),
      method.real("tol_rel_obj"), method.real("tol_grad"), method.real("tol_rel_grad"),
      method.real("tol_param"), method.integer("max_lbfgs_iters"),
      method.integer("num_elbo_draws"), method.integer("num_draws"),
      method.integer("num_psis_draws"), paths, save, run.refresh, run.interrupt, run.logger,
      init_writers, path_draws, path_diagnostics, csv, run.no_writer, method.flag("calculate_lp"),
      method.flag("psis_resample"));
  for (CsvWriter& file : path_draws) file.finish();
  return code;
}

int pathfinder(Run& run) {
  run.require_parameters();
  const unsigned paths = run.method.integer("num_paths");
  CsvWriter csv = std::move(run.open_csv("file")[0]);
  const int code = paths == 1 ? run_one_path(run, csv) : run_several_paths(run, csv, paths);
  csv.finish();
  return code;
}

const Registration registered("pathfinder", pathfinder);

}  // namespace

}  // namespace scistan::runner
