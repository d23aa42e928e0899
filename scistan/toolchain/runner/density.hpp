// The log density of the model and its gradient, at one point on the unconstrained scale.
#pragma once

#include <stan/model/model_base.hpp>

#include <ostream>

namespace scistan::runner {

// Constant terms are dropped, as in CmdStan; `jacobian` adds the change of variables.
double log_density(const stan::model::model_base& model, const Eigen::VectorXd& point,
                   bool jacobian, Eigen::VectorXd& gradient, std::ostream* messages);

}  // namespace scistan::runner
