// The parts of Asio and Beast that need not be compiled in every file that uses them (see the
// *_SEPARATE_COMPILATION definitions of this library).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
