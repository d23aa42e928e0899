// Boost's special functions as they are called at the start of a program, once for the runner and every model.
#include <stan/model/model_header.hpp>

#ifdef SCISTAN_BOOST_START
SCISTAN_BOOST_START()
#endif
