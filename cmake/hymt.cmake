# Compiler settings and the few functions every folder uses.

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(hymt_options INTERFACE)
# Seen from here, because the project that includes this may be tests/neon/cross.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH HYMT_ROOT)
target_include_directories(hymt_options INTERFACE ${HYMT_ROOT}/src)
target_compile_options(hymt_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror -Wshadow -Wno-missing-field-initializers>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(hymt_options INTERFACE -march=x86-64-v2)
endif()
# Outside the kernels no multiply-add is fused behind our back: results do not depend on the compiler.
target_compile_options(hymt_options INTERFACE -ffp-contract=off)
# xxHash is used as a header alone, so that tests/neon/cross needs no ARM library of it.
target_compile_definitions(hymt_options INTERFACE XXH_INLINE_ALL)
if(HYMT_SANITIZE)
  target_compile_options(hymt_options INTERFACE -fsanitize=${HYMT_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(hymt_options INTERFACE -fsanitize=${HYMT_SANITIZE})
  if(HYMT_SANITIZE MATCHES "undefined")
    target_compile_options(hymt_options INTERFACE -fno-sanitize-recover=all)
  endif()
endif()
if(HYMT_FUZZ)  # coverage in every library, so that the fuzzer sees where it gets
  target_compile_options(hymt_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies in any "text" + string (its bug 105651).
  target_compile_options(hymt_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND HYMT_SANITIZE)
  # GCC 12 reports false positives of these once sanitizers change its inlining.
  target_compile_options(hymt_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized -Wno-stringop-overflow>)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(hymt_options INTERFACE -Wl,--gc-sections)
  target_compile_options(hymt_options INTERFACE -ffunction-sections -fdata-sections)
endif()

# hymt_library(NAME [libraries...]): every .cc of this folder (and of the subfolders without a
# CMakeLists.txt) as the library hymt_NAME.
function(hymt_library name)
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  if(NOT sources)  # headers only, so far
    add_library(hymt_${name} INTERFACE)
    target_link_libraries(hymt_${name} INTERFACE hymt_options ${ARGN})
    return()
  endif()
  add_library(hymt_${name} STATIC ${sources})
  target_link_libraries(hymt_${name} PUBLIC hymt_options ${ARGN})
endfunction()

# hymt_tests(NAME [libraries...]): every *_test.cc of this folder as one GoogleTest program.
# Suites whose name starts with "Slow" get the ctest label "slow".
function(hymt_tests name)
  file(GLOB sources CONFIGURE_DEPENDS *_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE hymt_test_support ${ARGN})
  target_compile_options(${name}_test PRIVATE -O1)  # tests are compiled more often than they run
  set(properties ENVIRONMENT "HYMT_SOURCE=${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_FILTER "-Slow*.*"
    PROPERTIES ${properties})
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_FILTER "Slow*.*"
    TEST_LIST ${name}_slow_tests PROPERTIES ${properties} LABELS slow)
endfunction()
