# Computing against the reference engine: logprob_llama_cpp.mjs says what is compared and how near
# it must be.
add_executable(logprob_driver logprob_driver.cc)
target_link_libraries(logprob_driver PRIVATE hymt_cpu hymt_translate hymt_test_support)

foreach(subject demo random)
  add_test(NAME conformance.logprob_${subject}
    COMMAND node ${CMAKE_CURRENT_SOURCE_DIR}/logprob_llama_cpp.mjs ${subject}
      $<TARGET_FILE:logprob_driver> ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(conformance.logprob_${subject} PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS slow
    ENVIRONMENT "HYMT_SOURCE=${PROJECT_SOURCE_DIR}")
endforeach()
