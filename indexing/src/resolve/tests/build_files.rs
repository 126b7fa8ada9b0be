//! Makefiles and CMake: targets, their dependencies, and included files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn targets_of_make_depend_on_targets_and_files() {
    check(
        r##"//- Makefile
        include build/config.mk
        .PHONY: all clean
        all: tool docs
        tool: main.c lib/util.c | out
        	$(CC) -o $@ $^
        docs: README
        out:
        	mkdir out
        //- build/config.mk
        CC ?= cc
        //- sub/Makefile
        all: main.c
        	$(CC) main.c
        //- main.c
        int main(void) { return 0; }
        //- lib/util.c
        int util(void) { return 0; }
        "##,
        &[DependsOn, Imports, References],
        expect![[r#"
            depends_on Makefile::all -> Makefile::docs
            depends_on Makefile::all -> Makefile::tool
            depends_on Makefile::tool -> Makefile::out
            depends_on Makefile::tool -> lib/util.c
            depends_on Makefile::tool -> main.c
            imports Makefile -> build/config.mk
            references Makefile::tool -> build/config.mk::CC
        "#]],
    );
}

#[test]
fn targets_of_cmake_depend_on_libraries_and_sources() {
    check(
        r##"//- CMakeLists.txt
        include(helpers)
        option(SHOP_TESTS "Tests" ON)
        add_subdirectory(lib)
        add_executable(tool main.c)
        target_link_libraries(tool PRIVATE shop::shop m)
        if(SHOP_TESTS)
          add_shop_test(cart)
        endif()
        if(${SHOP_TESTS})
          message(STATUS tests)
        endif()
        //- cmake/helpers.cmake
        function(add_shop_test name)
          add_executable(${name} ${name}.c)
        endfunction()
        //- lib/CMakeLists.txt
        add_library(shop STATIC shop.c missing.c)
        add_library(shop::shop ALIAS shop)
        target_sources(shop PRIVATE extra.c)
        //- main.c
        int main(void) { return 0; }
        //- lib/shop.c
        int shop(void) { return 0; }
        //- lib/extra.c
        int extra(void) { return 0; }
        "##,
        &[DependsOn, Imports, References, Calls],
        expect![[r#"
            calls CMakeLists.txt -> cmake/helpers.cmake::add_shop_test
            depends_on CMakeLists.txt::tool -> lib/CMakeLists.txt::shop::shop
            depends_on CMakeLists.txt::tool -> main.c
            depends_on lib/CMakeLists.txt::shop -> lib/extra.c
            depends_on lib/CMakeLists.txt::shop -> lib/shop.c
            depends_on lib/CMakeLists.txt::shop::shop -> lib/CMakeLists.txt::shop
            imports CMakeLists.txt -> cmake/helpers.cmake
            imports CMakeLists.txt -> lib/CMakeLists.txt
            references CMakeLists.txt -> CMakeLists.txt::SHOP_TESTS
            resolved 1 ambiguous 0 external 10 unresolved 0
        "#]],
    );
}
