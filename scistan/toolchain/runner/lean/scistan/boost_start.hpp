// Boost's special functions are called once at the start of a program, so that their tables are filled before threads
// begin. Every object that includes them would hold that code and with it the functions: a second of g++ for each
// program. Here they are declared to be elsewhere; boost_start.cpp, a unit of the runner, is where.
#ifndef SCISTAN_LEAN_BOOST_START_HPP
#define SCISTAN_LEAN_BOOST_START_HPP

#include <boost/version.hpp>

#include <type_traits>

// The names are Boost's own and may change: with another Boost everything is compiled as it always was.
#if BOOST_VERSION / 100 == 1084

namespace scistan::boost_start {
using namespace boost::math::policies;
using Default = policy<>;
using Throwing = policy<promote_float<false>, promote_double<false>>;
using Silent = policy<pole_error<errno_on_error>, overflow_error<errno_on_error>,
                      promote_float<false>, promote_double<false>>;
template <int bits>
using Digits = std::integral_constant<int, bits>;
}  // namespace scistan::boost_start

// clang-format off
#define SCISTAN_BOOST_START(AT)                                                            \
  namespace boost::math::lanczos {                                                         \
  AT template struct lanczos_initializer<lanczos17m64, long double>;                       \
  }                                                                                        \
  namespace boost::math::detail {                                                          \
  namespace with = scistan::boost_start;                                                   \
  AT template struct bessel_i0_initializer<long double, with::Digits<64>>;                 \
  AT template struct bessel_i1_initializer<long double, with::Digits<64>>;                 \
  AT template struct bessel_j0_initializer<long double>;                                   \
  AT template struct bessel_j1_initializer<long double>;                                   \
  AT template struct bessel_k0_initializer<long double, with::Digits<64>>;                 \
  AT template struct bessel_k1_initializer<long double, with::Digits<64>>;                 \
  AT template struct bessel_y0_initializer<long double, with::Throwing>;                   \
  AT template struct bessel_y1_initializer<long double, with::Throwing>;                   \
  AT template struct digamma_initializer<double, with::Silent>;                            \
  AT template struct erf_initializer<double, with::Silent, with::Digits<53>>;              \
  AT template struct erf_initializer<long double, with::Throwing, with::Digits<64>>;       \
  AT template struct erf_inv_initializer<double, with::Silent>;                            \
  AT template struct erf_inv_initializer<long double, with::Throwing>;                     \
  AT template struct expm1_initializer<double, with::Silent, with::Digits<53>>;            \
  AT template struct expm1_initializer<long double, with::Throwing, with::Digits<64>>;     \
  AT template struct igamma_initializer<double, with::Silent>;                             \
  AT template struct igamma_initializer<long double, with::Throwing>;                      \
  AT template struct lgamma_initializer<double, with::Silent>;                             \
  AT template struct lgamma_initializer<long double, with::Throwing>;                      \
  AT template struct min_shift_initializer<double>;                                        \
  AT template struct owens_t_initializer<double, with::Default, with::Digits<64>>;         \
  }
// clang-format on

SCISTAN_BOOST_START(extern)

#endif

#endif
