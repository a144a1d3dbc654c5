// The parts of Asio that need not be compiled in every file that uses it (see
// BOOST_ASIO_SEPARATE_COMPILATION in this library's definitions).
#include <boost/asio/impl/src.hpp>
