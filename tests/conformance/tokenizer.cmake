add_executable(tokenizer_driver tokenizer_driver.cc)
target_link_libraries(tokenizer_driver PRIVATE hymt_model)

foreach(subject patterns tiktoken llama_cpp)
  add_test(NAME conformance.tokenizer_${subject}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/run_node.sh ${CMAKE_CURRENT_SOURCE_DIR}/tokenizer_${subject}.mjs
      $<TARGET_FILE:tokenizer_driver> ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(conformance.tokenizer_${subject} PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS slow
    ENVIRONMENT "HYMT_SOURCE=${PROJECT_SOURCE_DIR}")
endforeach()
