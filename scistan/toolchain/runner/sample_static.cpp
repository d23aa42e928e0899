// sample: Hamiltonian Monte Carlo with a fixed integration time, one chain, every metric.
#include <stan/model/model_header.hpp>

#include "sampling.hpp"

#include <stan/services/sample/hmc_static_dense_e.hpp>
#include <stan/services/sample/hmc_static_dense_e_adapt.hpp>
#include <stan/services/sample/hmc_static_diag_e.hpp>
#include <stan/services/sample/hmc_static_diag_e_adapt.hpp>
#include <stan/services/sample/hmc_static_unit_e.hpp>
#include <stan/services/sample/hmc_static_unit_e_adapt.hpp>

namespace scistan::runner {

namespace {

namespace services = stan::services;

int sample_unit(Run& run) {
  Sampling s(run);
  if (!s.adaptive)
    return s.finish(services::sample::hmc_static_unit_e(
        run.model, *s.inits[0], run.seed, run.id, s.init_radius, s.warmup, s.samples, s.thin,
        s.save_warmup, run.refresh, s.stepsize, s.jitter, s.int_time, run.interrupt, run.logger,
        s.init_writers[0], s.draws[0], s.diagnostics[0]));
  return s.finish(services::sample::hmc_static_unit_e_adapt(
      run.model, *s.inits[0], run.seed, run.id, s.init_radius, s.warmup, s.samples, s.thin,
      s.save_warmup, run.refresh, s.stepsize, s.jitter, s.int_time, s.delta, s.gamma, s.kappa, s.t0,
      run.interrupt, run.logger, s.init_writers[0], s.draws[0], s.diagnostics[0]));
}

int sample_diag(Run& run) {
  Sampling s(run);
  const auto metrics = s.metrics(std::make_shared<stan::io::array_var_context>(
      services::util::create_unit_e_diag_inv_metric(run.model.num_params_r())));
  if (!s.adaptive)
    return s.finish(services::sample::hmc_static_diag_e(
        run.model, *s.inits[0], *metrics[0], run.seed, run.id, s.init_radius, s.warmup, s.samples,
        s.thin, s.save_warmup, run.refresh, s.stepsize, s.jitter, s.int_time, run.interrupt,
        run.logger, s.init_writers[0], s.draws[0], s.diagnostics[0]));
  return s.finish(services::sample::hmc_static_diag_e_adapt(
      run.model, *s.inits[0], *metrics[0], run.seed, run.id, s.init_radius, s.warmup, s.samples,
      s.thin, s.save_warmup, run.refresh, s.stepsize, s.jitter, s.int_time, s.delta, s.gamma,
      s.kappa, s.t0, s.init_buffer, s.term_buffer, s.window, run.interrupt, run.logger,
      s.init_writers[0], s.draws[0], s.diagnostics[0]));
}

int sample_dense(Run& run) {
  Sampling s(run);
  const auto metrics = s.metrics(std::make_shared<stan::io::array_var_context>(
      services::util::create_unit_e_dense_inv_metric(run.model.num_params_r())));
  if (!s.adaptive)
    return s.finish(services::sample::hmc_static_dense_e(
        run.model, *s.inits[0], *metrics[0], run.seed, run.id, s.init_radius, s.warmup, s.samples,
        s.thin, s.save_warmup, run.refresh, s.stepsize, s.jitter, s.int_time, run.interrupt,
        run.logger, s.init_writers[0], s.draws[0], s.diagnostics[0]));
  return s.finish(services::sample::hmc_static_dense_e_adapt(
      run.model, *s.inits[0], *metrics[0], run.seed, run.id, s.init_radius, s.warmup, s.samples,
      s.thin, s.save_warmup, run.refresh, s.stepsize, s.jitter, s.int_time, s.delta, s.gamma,
      s.kappa, s.t0, s.init_buffer, s.term_buffer, s.window, run.interrupt, run.logger,
      s.init_writers[0], s.draws[0], s.diagnostics[0]));
}

const Registration unit("sample hmc static unit_e", sample_unit);
const Registration diag("sample hmc static diag_e", sample_diag);
const Registration dense("sample hmc static dense_e", sample_dense);

}  // namespace

}  // namespace scistan::runner
