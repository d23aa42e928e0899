// Stands in for Stan's header of this name: the same class to models and services, half the templates to compile.
//
// Stan asks every program for its density sixteen times over: with and without constants, with and without the
// Jacobian, in doubles and in autodiff variables, in Eigen's vectors and in the standard library's. Four are enough,
// and each is a translation of the whole program by the compiler:
//   - doubles with all constants (`full`), autodiff variables without them (`kernel`), each with and without Jacobian;
//   - autodiff variables with constants: `kernel` plus the constant by which `full` exceeds it;
//   - doubles without constants: the value of `kernel` (in doubles alone no term would count as variable);
//   - standard vectors: copied into Eigen's.
// Sampling takes `kernel` in Eigen's vectors, as with Stan's own class.
#ifndef STAN_MODEL_MODEL_BASE_CRTP_HPP
#define STAN_MODEL_MODEL_BASE_CRTP_HPP

#include <stan/model/model_base.hpp>

#include <ostream>
#include <vector>

namespace stan {
namespace model {

template <typename M>
class model_base_crtp : public model_base {
  template <typename T>
  using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using Doubles = Column<double>;
  using Vars = Column<math::var>;
  using Integers = std::vector<int>;
  using Messages = std::ostream*;

  const M& self() const { return static_cast<const M&>(*this); }

  template <bool jacobian>
  double full(Doubles& theta, Messages messages) const {
    return self().template log_prob<false, jacobian>(theta, messages);
  }

  template <bool jacobian>
  math::var kernel(Vars& theta, Messages messages) const {
    return self().template log_prob<true, jacobian>(theta, messages);
  }

  template <bool jacobian>
  math::var full(Vars& theta, Messages messages) const {
    const math::var result = kernel<jacobian>(theta, messages);
    Doubles values = theta.val();
    return result + (full<jacobian>(values, messages) - result.val());
  }

  template <bool jacobian>
  double kernel(Doubles& theta, Messages messages) const {
    const math::nested_rev_autodiff nested;
    Vars variables = theta.template cast<math::var>();
    return kernel<jacobian>(variables, messages).val();
  }

  template <bool jacobian, typename T>
  T full(std::vector<T>& theta, Messages messages) const {
    Column<T> column = copied(theta);
    return full<jacobian>(column, messages);
  }

  template <bool jacobian, typename T>
  T kernel(std::vector<T>& theta, Messages messages) const {
    Column<T> column = copied(theta);
    return kernel<jacobian>(column, messages);
  }

  template <typename T>
  static Column<T> copied(const std::vector<T>& values) {
    return Eigen::Map<const Column<T>>(values.data(), values.size());
  }

 public:
  explicit model_base_crtp(size_t num_params_r) : model_base(num_params_r) {}
  ~model_base_crtp() override {}

  double log_prob(Doubles& theta, Messages m) const override { return full<false>(theta, m); }
  double log_prob_jacobian(Doubles& theta, Messages m) const override { return full<true>(theta, m); }
  double log_prob_propto(Doubles& theta, Messages m) const override { return kernel<false>(theta, m); }
  double log_prob_propto_jacobian(Doubles& theta, Messages m) const override {
    return kernel<true>(theta, m);
  }

  math::var log_prob(Vars& theta, Messages m) const override { return full<false>(theta, m); }
  math::var log_prob_jacobian(Vars& theta, Messages m) const override { return full<true>(theta, m); }
  math::var log_prob_propto(Vars& theta, Messages m) const override { return kernel<false>(theta, m); }
  math::var log_prob_propto_jacobian(Vars& theta, Messages m) const override {
    return kernel<true>(theta, m);
  }

  double log_prob(std::vector<double>& theta, Integers&, Messages m) const override {
    return full<false>(theta, m);
  }
  double log_prob_jacobian(std::vector<double>& theta, Integers&, Messages m) const override {
    return full<true>(theta, m);
  }
  double log_prob_propto(std::vector<double>& theta, Integers&, Messages m) const override {
    return kernel<false>(theta, m);
  }
  double log_prob_propto_jacobian(std::vector<double>& theta, Integers&, Messages m) const override {
    return kernel<true>(theta, m);
  }

  math::var log_prob(std::vector<math::var>& theta, Integers&, Messages m) const override {
    return full<false>(theta, m);
  }
  math::var log_prob_jacobian(std::vector<math::var>& theta, Integers&, Messages m) const override {
    return full<true>(theta, m);
  }
  math::var log_prob_propto(std::vector<math::var>& theta, Integers&, Messages m) const override {
    return kernel<false>(theta, m);
  }
  math::var log_prob_propto_jacobian(std::vector<math::var>& theta, Integers&, Messages m) const override {
    return kernel<true>(theta, m);
  }

  void write_array(stan::rng_t& rng, Doubles& theta, Doubles& values, bool transformed = true,
                   bool generated = true, Messages m = nullptr) const override {
    self().write_array(rng, theta, values, transformed, generated, m);
  }
  void write_array(stan::rng_t& rng, std::vector<double>& theta, Integers&, std::vector<double>& values,
                   bool transformed = true, bool generated = true, Messages m = nullptr) const override {
    Doubles column = copied(theta);
    Doubles result;
    self().write_array(rng, column, result, transformed, generated, m);
    values.assign(result.data(), result.data() + result.size());
  }

  void unconstrain_array(const Doubles& values, Doubles& theta, Messages m = nullptr) const override {
    self().unconstrain_array(values, theta, m);
  }
  void unconstrain_array(const std::vector<double>& values, std::vector<double>& theta,
                         Messages m = nullptr) const override {
    self().unconstrain_array(values, theta, m);
  }

  void transform_inits(const io::var_context& context, Doubles& theta, Messages m) const override {
    self().transform_inits(context, theta, m);
  }
};

}  // namespace model
}  // namespace stan

#endif
