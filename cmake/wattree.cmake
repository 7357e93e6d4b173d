# Flags every target shares, and the two functions that targets are made with.
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
# It has no package of CMake's on Debian.
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Threads REQUIRED)

# With ccache nothing is compiled twice. Without it, a precompiled header and several files at a time make a first build
# three times as quick. With it they would find little in the cache: such a header belongs to the folder that it was compiled
# in, and a change to one file would compile its neighbours again.
find_program(CCACHE ccache)
set(precompiles OFF)
if(CCACHE AND NOT DEFINED ENV{CCACHE_DISABLE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(precompiles ON)
endif()
option(WATTREE_PRECOMPILE "Compile the headers of cmake/precompiled.h once for all files" ${precompiles})
option(WATTREE_UNITY "Compile several files of a folder at a time" ${precompiles})

add_library(wattree_flags INTERFACE)
target_include_directories(wattree_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
# Same input, same bits: no fused multiply-adds that depend on the machine, and never -march=native.
target_compile_options(wattree_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # For clang, -Wconversion includes this; for GCC it does not.
  target_compile_options(wattree_flags INTERFACE -Wno-sign-conversion)
endif()
if(WATTREE_PRECOMPILE)
  # GCC 12 forgets that precompiled headers are the system's, and takes sums of strings in them for overflows
  # and overreads.
  target_compile_options(wattree_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(WATTREE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # With more of a folder in sight GCC 12 looks into std::variant, and takes the member that is not there for uninitialised.
  target_compile_options(wattree_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Collect garbage later: a tenth less time for a tenth more memory.
  target_compile_options(wattree_flags INTERFACE --param=ggc-min-expand=100 --param=ggc-min-heapsize=500000)
endif()
if(WATTREE_WERROR)
  target_compile_options(wattree_flags INTERFACE -Werror)
endif()
if(WATTREE_SANITIZE)
  # -fno-sanitize-recover: undefined behaviour ends the program, so that its test fails instead of printing a line.
  target_compile_options(wattree_flags INTERFACE
    -fsanitize=${WATTREE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(wattree_flags INTERFACE -fsanitize=${WATTREE_SANITIZE})
endif()
if(WATTREE_FUZZ)
  # Coverage in the libraries too; libFuzzer's main is linked only into the targets (fuzz/CMakeLists.txt).
  target_compile_options(wattree_flags INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(wattree_flags INTERFACE -fsanitize=address,undefined)
endif()

# What makes a mistake in memory harder to use: tables that are read-only once the program runs, checked returns, buffers
# whose size the compiler knows, and jumps that lead where they may. Sanitizers have checks of their own.
set(hardens OFF)
if(CMAKE_BUILD_TYPE MATCHES "^Rel" AND NOT WATTREE_SANITIZE AND NOT WATTREE_FUZZ)
  set(hardens ON)
endif()
option(WATTREE_HARDEN "Compile and link with the usual protections of distributions" ${hardens})
if(WATTREE_HARDEN)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-fcf-protection WATTREE_HAS_CF_PROTECTION)  # x86 alone has it.
  target_compile_options(wattree_flags INTERFACE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
    $<$<BOOL:${WATTREE_HAS_CF_PROTECTION}>:-fcf-protection>)
  target_link_options(wattree_flags INTERFACE -Wl,-z,relro,-z,now)
endif()

# The folder `base` compiles the header, and all others use it: they have the same flags.
function(wattree_precompile target)
  if(NOT WATTREE_PRECOMPILE)
    return()
  elseif(target STREQUAL wattree_base)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
  else()
    target_precompile_headers(${target} REUSE_FROM wattree_base)
  endif()
endfunction()

# wattree_library(NAME ALONE f.cc DEPS a b LINK x y TEST_DEPS c): the folder's sources as one target, its *_test.cc as
# another. ALONE: files that are always compiled by themselves ("*": all), because others use the same names for things of
# their own. TEST_DEPS: what only the tests use.
function(wattree_library name)
  cmake_parse_arguments(ARG "" "" "ALONE;DEPS;LINK;TEST_DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
  list(TRANSFORM ARG_DEPS PREPEND wattree_)
  if(sources)
    add_library(wattree_${name} STATIC ${sources})
    target_link_libraries(wattree_${name} PUBLIC wattree_flags ${ARG_DEPS} PRIVATE ${ARG_LINK})
    wattree_precompile(wattree_${name})
    if(WATTREE_UNITY AND NOT ARG_ALONE STREQUAL "*")
      set_target_properties(wattree_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
      set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  else()
    add_library(wattree_${name} INTERFACE)
    target_link_libraries(wattree_${name} INTERFACE wattree_flags ${ARG_DEPS})
  endif()
  if(WATTREE_TESTS AND tests)
    wattree_test(${name}_test SOURCES ${tests} DEPS ${name} ${ARG_TEST_DEPS})
  endif()
endfunction()

# wattree_embed(NAME FUNCTION FILE): puts FILE, of the folder or else of data/, into library NAME, where wattree::FUNCTION()
# returns its text.
function(wattree_embed name function file)
  set(input ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  if(NOT EXISTS ${input})
    set(input ${PROJECT_SOURCE_DIR}/data/${file})
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFILE=${input} -DFUNCTION=${function} -DOUTPUT=${output} -P ${script}
    DEPENDS ${input} ${script}
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(wattree_${name} PRIVATE ${output})
endfunction()

# wattree_embed_json(NAME FOLDER TYPE FUNCTION HEADER): puts every data/FOLDER/*.json into library NAME, where
# wattree::FUNCTION() returns them by name. The names are part of the command, so that the file is written anew when one
# goes, too.
function(wattree_embed_json name folder type function header)
  set(path ${PROJECT_SOURCE_DIR}/data/${folder})
  file(GLOB files CONFIGURE_DEPENDS ${path}/*.json)
  list(TRANSFORM files REPLACE "^.*/(.*)\\.json$" "\\1" OUTPUT_VARIABLE names)
  list(SORT names)  # By name: with the .json, "gpt2-xl" would come before "gpt2".
  list(JOIN names "," names)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_json.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${path} -DNAMES=${names} -DTYPE=${type} -DFUNCTION=${function} -DHEADER=${header}
      -DOUTPUT=${output} -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding data/${folder}"
    VERBATIM)
  target_sources(wattree_${name} PRIVATE ${output})
endfunction()

# wattree_embed_web(NAME): builds the web UI and puts it into library NAME, where wattree::web_files() returns its files.
# Without it (WATTREE_WEB=OFF, or no npm here) the table is empty. Sanitizers and fuzzers have no use for pages.
find_program(WATTREE_NPM npm)
set(has_web OFF)
if(WATTREE_NPM AND NOT WATTREE_SANITIZE AND NOT WATTREE_FUZZ)
  set(has_web ON)
endif()
option(WATTREE_WEB "Build the web UI into the program (needs Node and npm)" ${has_web})
function(wattree_embed_web name)
  set(folder ${PROJECT_BINARY_DIR}/web)
  set(stamp ${PROJECT_BINARY_DIR}/web.stamp)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/web_files_table.cc)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake)
  if(WATTREE_WEB)
    set(web ${PROJECT_SOURCE_DIR}/web)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.svelte ${web}/src/*.css ${web}/public/*)
    list(FILTER sources EXCLUDE REGEX "\\.test\\.ts$")
    set(build ${PROJECT_SOURCE_DIR}/tools/build_web)
    add_custom_command(
      OUTPUT ${stamp}
      COMMAND ${build} ${folder}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      DEPENDS ${sources} ${web}/index.html ${web}/package-lock.json ${web}/vite.config.ts ${web}/svelte.config.js ${build}
      COMMENT "Building the web UI"
      VERBATIM)
  else()
    file(WRITE ${stamp} "")
    file(REMOVE_RECURSE ${folder})
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${output} -P ${script}
    DEPENDS ${stamp} ${script}
    COMMENT "Embedding the web UI"
    VERBATIM)
  target_sources(wattree_${name} PRIVATE ${output})
endfunction()

# wattree_test(NAME SOURCES … DEPS … [LABELS …]): a GoogleTest program. It counts its own tests (tools/run_tests adds
# them up), so CTest runs each program once.
function(wattree_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LINK;LABELS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND wattree_)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE wattree_flags ${ARG_DEPS} ${ARG_LINK} GTest::gtest_main)
  wattree_precompile(${name})
  if(WATTREE_SANITIZE MATCHES address)
    target_link_libraries(${name} PRIVATE sanitizer_options)  # tests/sanitizers
  endif()
  target_compile_definitions(${name} PRIVATE WATTREE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "gtest;${ARG_LABELS}" TIMEOUT 600)
endfunction()

# wattree_use_fake_nvml(TEST): tells it where the libraries of tests/fake_nvml are.
function(wattree_use_fake_nvml name)
  add_dependencies(${name} fake_nvml fake_nvml_old)
  set(folder ${PROJECT_BINARY_DIR}/tests/lib)
  target_compile_definitions(${name} PRIVATE WATTREE_FAKE_NVML="${folder}/libfake_nvml.so"
    WATTREE_FAKE_NVML_OLD="${folder}/libfake_nvml_old.so")
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

if(WATTREE_TESTS)
  find_package(GTest REQUIRED)
endif()
