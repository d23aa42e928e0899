// sample: the No-U-Turn sampler with a dense metric.
#include <stan/model/model_header.hpp>

#include "sampling.hpp"

#include <stan/services/sample/hmc_nuts_dense_e.hpp>
#include <stan/services/sample/hmc_nuts_dense_e_adapt.hpp>

namespace scistan::runner {

namespace {

namespace services = stan::services;

int sample(Run& run) {
  Sampling s(run);
  const auto metrics = s.metrics(std::make_shared<stan::io::array_var_context>(
      services::util::create_unit_e_dense_inv_metric(run.model.num_params_r())));
  if (!s.adaptive)
    return s.finish(services::sample::hmc_nuts_dense_e(
        run.model, s.chains, s.inits, metrics, run.seed, run.id, s.init_radius, s.warmup, s.samples,
        s.thin, s.save_warmup, run.refresh, s.stepsize, s.jitter, s.max_depth, run.interrupt,
        run.logger, s.init_writers, s.draws, s.diagnostics));
  return s.finish(services::sample::hmc_nuts_dense_e_adapt(
      run.model, s.chains, s.inits, metrics, run.seed, run.id, s.init_radius, s.warmup, s.samples,
      s.thin, s.save_warmup, run.refresh, s.stepsize, s.jitter, s.max_depth, s.delta, s.gamma,
      s.kappa, s.t0, s.init_buffer, s.term_buffer, s.window, run.interrupt, run.logger,
      s.init_writers, s.draws, s.diagnostics, s.metric_files));
}

const Registration registered("sample hmc nuts dense_e", sample);

}  // namespace

}  // namespace scistan::runner
