//! C, C++ and Objective-C: declarations and definitions, includes, namespaces and members.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn a_declaration_in_a_header_leads_to_the_definition() {
    check(
        "//- include/list.h
        #ifndef LIST_H
        #define LIST_H
        typedef struct list { struct list *next; int (*compare)(int, int); } list;
        list *list_new(void);
        void list_add(list *l, int value);
        int declared_only(int a);
        static inline int list_len(list *l) { return 1; }
        extern int list_count;
        #define LIST_EACH(l) for (; l; l = l->next)
        #endif
        //- src/list.c
        #include \"list.h\"
        #include <stdlib.h>
        int list_count = 0;
        static void check(list *l) {}
        list *list_new(void) { return malloc(1); }
        void list_add(list *l, int value) { check(l); list_new(); }
        //- src/other.c
        static void check(int a, int b) {}
        static int list_len(int a) { return a; }
        void unrelated(void) { check(1, 2); list_len(3); }
        //- src/main.c
        #include <list.h>
        int forward(int a);
        int main(void) {
          list *l = list_new();
          list_add(l, list_len(l));
          LIST_EACH(l) { l->next->compare(1, 2); }
          check(l);
          declared_only(1);
          printf(\"x\");
          return forward(2);
        }
        //- src/forward.c
        int forward(int a) { return a; }
        //- tests/test_list.c
        #include \"../include/list.h\"
        void test_list(void) { list_new(); }",
        &[Calls, Imports, Tests],
        expect![[r#"
            calls src/list.c::list_add -> src/list.c::check
            calls src/list.c::list_add -> src/list.c::list_new
            calls src/main.c::main -> include/list.h::declared_only
            calls src/main.c::main -> include/list.h::list.compare
            calls src/main.c::main -> include/list.h::list_len
            calls src/main.c::main -> src/forward.c::forward
            calls src/main.c::main -> src/list.c::list_add
            calls src/main.c::main -> src/list.c::list_new
            calls src/other.c::unrelated -> src/other.c::check
            calls src/other.c::unrelated -> src/other.c::list_len
            calls tests/test_list.c::test_list -> src/list.c::list_new
            imports src/list.c -> external::stdlib.h
            imports src/list.c -> include/list.h
            imports src/main.c -> include/list.h
            imports tests/test_list.c -> include/list.h
            tests tests/test_list.c::test_list -> src/list.c::list_new
            resolved 11 ambiguous 0 external 2 unresolved 1
        "#]],
    );
}

#[test]
fn members_of_cpp_classes_are_found_through_namespaces_and_types() {
    check(
        "//- app/shape.h
        #pragma once
        #include <memory>
        namespace app {
        class Canvas { public: Canvas(int size); void draw(int x); void draw(int x, int y); };
        class Shape {
         public:
          Shape();
          virtual ~Shape();
          virtual double area() const = 0;
          void paint(Canvas& canvas);
          std::unique_ptr<Canvas> canvas_;
          Canvas* raw() { return canvas_.get(); }
        };
        class Circle : public Shape {
         public:
          double area() const override { return helper(); }
          static Circle* create(int radius = 1);
        };
        double helper();
        }
        //- app/shape.cc
        #include \"shape.h\"
        namespace app {
        Canvas::Canvas(int size) {}
        void Canvas::draw(int x) {}
        void Canvas::draw(int x, int y) { draw(x); }
        Shape::Shape() {}
        void Shape::paint(Canvas& canvas) { canvas.draw(1); canvas_->draw(1, 2); raw()->draw(3); this->area(); }
        Circle* Circle::create(int radius) { return new Circle; }
        namespace { int hidden() { return 1; } }
        double helper() { return hidden(); }
        }
        //- app/use.cc
        #include \"shape.h\"
        using namespace app;
        using app::helper;
        void free_function() {
          Canvas canvas(1);
          auto other = std::make_unique<app::Canvas>(2);
          other->draw(1);
          auto* circle = app::Circle::create();
          circle->paint(canvas);
          circle->area();
          helper();
          app::helper();
          std::move(canvas);
          for (int i = 0; i < 2; i++) { Canvas local{2}; local.draw(i, i); }
          auto lambda = [](Shape& shape) { shape.area(); };
          lambda(*circle);
        }
        void hidden();
        //- test/shape_test.cc
        #include \"../app/shape.h\"
        class ShapeTest : public testing::Test { protected: void prepare() {} app::Circle circle_; };
        TEST_F(ShapeTest, Paints) { prepare(); circle_.area(); }",
        &[Calls, Extends, Overrides, Tests],
        expect![[r#"
            calls app/shape.cc::app.Canvas.draw -> app/shape.cc::app.Canvas.draw
            calls app/shape.cc::app.Circle.create -> app/shape.h::app.Circle
            calls app/shape.cc::app.Shape.paint -> app/shape.cc::app.Canvas.draw
            calls app/shape.cc::app.Shape.paint -> app/shape.h::app.Shape.area
            calls app/shape.cc::app.Shape.paint -> app/shape.h::app.Shape.raw
            calls app/shape.cc::app.helper -> app/shape.cc::app.hidden
            calls app/shape.h::app.Circle.area -> app/shape.cc::app.helper
            calls app/use.cc::free_function -> app/shape.cc::app.Canvas.Canvas
            calls app/use.cc::free_function -> app/shape.cc::app.Canvas.draw
            calls app/use.cc::free_function -> app/shape.cc::app.Circle.create
            calls app/use.cc::free_function -> app/shape.cc::app.Shape.paint
            calls app/use.cc::free_function -> app/shape.cc::app.helper
            calls app/use.cc::free_function -> app/shape.h::app.Circle.area
            calls app/use.cc::free_function -> app/shape.h::app.Shape.area
            calls test/shape_test.cc::ShapeTest.Paints -> app/shape.h::app.Circle.area
            calls test/shape_test.cc::ShapeTest.Paints -> test/shape_test.cc::ShapeTest.prepare
            extends app/shape.h::app.Circle -> app/shape.h::app.Shape
            overrides app/shape.h::app.Circle.area -> app/shape.h::app.Shape.area
            tests test/shape_test.cc::ShapeTest.Paints -> app/shape.h::app.Circle.area
            resolved 21 ambiguous 0 external 3 unresolved 1
        "#]],
    );
}

#[test]
fn messages_resolve_through_classes_categories_and_protocols() {
    check(
        "//- Store.h
        #import <Foundation/Foundation.h>
        @protocol Loading
        - (void)load;
        @end
        @interface Store : NSObject <Loading>
        @property (nonatomic) Store *parent;
        + (instancetype)shared;
        - (instancetype)initWithName:(NSString *)name;
        - (void)saveTo:(int)path force:(BOOL)force;
        @end
        @interface Store (Extra)
        - (void)extra;
        @end
        //- Store.m
        #import \"Store.h\"
        @implementation Store
        + (instancetype)shared { return [[self alloc] initWithName:@\"x\"]; }
        - (instancetype)initWithName:(NSString *)name { return [super init]; }
        - (void)load {}
        - (void)saveTo:(int)path force:(BOOL)force { [self load]; [self.parent extra]; }
        @end
        //- Extra.m
        #import \"Store.h\"
        @implementation Store (Extra)
        - (void)extra { helper(self); }
        @end
        static void helper(Store *self) { [self load]; }
        //- main.m
        #import \"Store.h\"
        int main(void) {
          Store *store = [[Store alloc] initWithName:@\"a\"];
          [store saveTo:1 force:YES];
          [[Store shared] load];
          [store.parent.parent extra];
          [NSString stringWithFormat:@\"x\"];
        }",
        &[Calls, Extends, Implements],
        expect![[r#"
            calls Extra.m::Store.extra -> Extra.m::helper
            calls Store.m::Store.saveTo:force: -> Extra.m::Store.extra
            calls Store.m::Store.saveTo:force: -> Store.m::Store.load
            calls Store.m::Store.shared -> Store.m::Store.initWithName:
            calls main.m::main -> Extra.m::Store.extra
            calls main.m::main -> Store.m::Store.initWithName:
            calls main.m::main -> Store.m::Store.load
            calls main.m::main -> Store.m::Store.saveTo:force:
            calls main.m::main -> Store.m::Store.shared
            implements Store.h::Store -> Store.h::Loading
            resolved 9 ambiguous 0 external 5 unresolved 0
        "#]],
    );
}

#[test]
fn one_of_several_definitions_for_platforms_is_the_target() {
    check(
        "
        //- include/port.h
        int port_open(int fd);
        //- src/unix/port.c
        #include \"port.h\"
        int port_open(int fd) { return fd; }
        //- src/unix/loop.c
        #include \"port.h\"
        int run(void) { return port_open(1); }
        //- src/win/port.c
        #include \"port.h\"
        int port_open(int fd) { return fd + 1; }
        //- test/main.c
        #include \"port.h\"
        int main(void) { return port_open(2); }",
        &[Calls],
        expect![[r#"
            calls src/unix/loop.c::run -> src/unix/port.c::port_open
            calls test/main.c::main -> include/port.h::port_open
            resolved 2 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}
