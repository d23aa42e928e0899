// The log density of the model and its gradient, at one point on the unconstrained scale.
#include "density.hpp"

namespace scistan::runner {

double log_density(const stan::model::model_base& model, const Eigen::VectorXd& point,
                   bool jacobian, Eigen::VectorXd& gradient, std::ostream* messages) {
  using stan::math::var;
  const stan::math::nested_rev_autodiff tape;
  Eigen::Matrix<var, -1, 1> theta(point.size());
  for (Eigen::Index i = 0; i < point.size(); ++i) theta(i) = point(i);
  var density = jacobian ? model.log_prob_propto_jacobian(theta, messages)
                         : model.log_prob_propto(theta, messages);
  density.grad();
  gradient.resize(point.size());
  for (Eigen::Index i = 0; i < point.size(); ++i) gradient(i) = theta(i).adj();
  return density.val();
}

}  // namespace scistan::runner
