//! Tests that extraction finds the declarations and uses in C++.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
#include <memory>
#include "net/socket.h"
using namespace std;
using net::Socket;
namespace fs = std::filesystem;

APP_BEGIN_NAMESPACE
namespace app::core {

template <typename T, class U = int> class Stack;

/// A shape.
class API_EXPORT Shape : public Base, private detail::Mixin<int> {
public:
  explicit Shape(int sides = 3, const std::string& name = "");
  Shape(const Shape&) = delete;
  virtual ~Shape();
  virtual double area() const = 0;
  static Shape* create(std::unique_ptr<Canvas> canvas);
  bool operator==(const Shape& other) const { return sides_ == other.sides_; }
  operator bool() const;
  template <typename V> void visit(V&& visitor) { visitor(*this); }
  using Base::draw;
  friend class Builder;
  enum class Kind { Round, Flat };
  struct Part { int index; };
protected:
  void paint(Canvas& canvas);
private:
  int sides_ = 0;
  std::vector<std::shared_ptr<Part>> parts_;
  static constexpr int kMax = 4;
};

enum Color { Red, Green };
using Callback = std::function<void(int)>;
template <typename T> T maximum(T a, T b) { return a > b ? a : b; }
constexpr int kLimit = 5;

namespace {
int hidden() { return 1; }
}

}  // namespace app::core
APP_END_NAMESPACE

app::core::Shape::Shape(int sides, const std::string& name) : Base(name), sides_(sides) {}

double app::core::Shape::area() const {
  auto canvas = std::make_unique<Canvas>(1);
  Canvas local(2);
  Part part{3};
  for (const auto& each : parts_) each->index++;
  for (auto& [key, value] : names) use(key);
  auto run = [&](int count) { canvas->draw(count); };
  static_cast<Canvas*>(raw)->fill();
  throw std::runtime_error("x");
  app::core::maximum<int>(1, 2);
  ::global();
  new Canvas(1);
  return this->sides_;
}

TEST_F(ShapeTest, HasArea) { EXPECT_EQ(1, shape.area()); }
TEST_CASE("adds numbers", "[math]") { SECTION("a") { add(1, 2); } }
"#;

#[test]
fn declarations_and_uses_of_cpp_are_found() {
    check(
        "cpp",
        SOURCE,
        expect![[r#"
        cpp package="" lines=66 syntax_errors
        module app.core 9-45 `namespace app::core` public
          class app.core.Shape 14-34 `class API_EXPORT Shape : public Base, private detail::Mixin<int>` Extends(Base) Extends(detail.Mixin) public doc="A shape."
            constructor app.core.Shape.Shape 16-16 `explicit Shape(int sides = 3, const std::string& name = "")` (int=,std::string&=)/2 : ~ public
            constructor app.core.Shape.Shape 17-17 `Shape(const Shape&) = delete` (Shape&)/1 public
            method app.core.Shape.~Shape 18-18 `virtual ~Shape()` ()/0 : ~ public
            method app.core.Shape.area 19-19 `virtual double area() const = 0` ()/0 : double public
            method app.core.Shape.create 20-20 `static Shape* create(std::unique_ptr<Canvas> canvas)` (std::unique_ptr<Canvas>)/1 : ~Shape public
            method app.core.Shape.operator== 21-21 `bool operator==(const Shape& other) const` (Shape&)/1 : bool public
            method app.core.Shape.operator bool 22-22 `operator bool() const` ()/0 : ~ public
            method app.core.Shape.visit 23-23 `template <typename V> void visit(V&& visitor)` (V&&)/1 : void public
            enum app.core.Shape.Kind 26-26 `enum class Kind` public
              enum_member app.core.Shape.Kind.Round 26-26 `Round` public
              enum_member app.core.Shape.Kind.Flat 26-26 `Flat` public
            struct app.core.Shape.Part 27-27 `struct Part` public
              field app.core.Shape.Part.index 27-27 `int index` : int public
            method app.core.Shape.paint 29-29 `void paint(Canvas& canvas)` (Canvas&)/1 : ~void protected
            field app.core.Shape.sides_ 31-31 `int sides_ = 0` : int private
            field app.core.Shape.parts_ 32-32 `std::vector<std::shared_ptr<Part>> parts_` : std::vector<std::shared_ptr<Part>> private
            field app.core.Shape.kMax 33-33 `static constexpr int kMax = 4` : int private
          enum app.core.Color 36-36 `enum Color` public
            enum_member app.core.Red 36-36 `Red` public
            enum_member app.core.Green 36-36 `Green` public
          type app.core.Callback 37-37 `using Callback = std::function<void(int)>` : std::function<void(int)> public
          function app.core.maximum 38-38 `template <typename T> T maximum(T a, T b)` (T,T)/2 : T public
          constant app.core.kLimit 39-39 `constexpr int kLimit = 5` : int public
          function app.core.hidden 42-42 `int hidden()` ()/0 : int private
        constructor app.core.Shape.Shape 48-48 `app::core::Shape::Shape(int sides, const std::string& name) : Base(name), sides_(sides)` (int,std::string&)/2 public
        method app.core.Shape.area 50-63 `double app::core::Shape::area() const` ()/0 : double public
        function ShapeTest.HasArea 65-65 `TEST_F(ShapeTest, HasArea)` ()/0 public test
        function adds numbers 66-66 `TEST_CASE("adds numbers", "[math]")` ()/0 public test
        ref Type Stack in app.core 11:44
        ref Base Base in app.core.Shape 14:33
        ref Base detail.Mixin in app.core.Shape 14:55
        ref Type std.string in app.core.Shape.Shape 16:44
        ref Type Shape in app.core.Shape.Shape 17:15
        ref Type Shape in app.core.Shape.create 20:10
        ref Type std.unique_ptr in app.core.Shape.create 20:29
        ref Type Canvas in app.core.Shape.create 20:40
        ref Type Shape in app.core.Shape.operator== 21:25
        ref Name sides_ in app.core.Shape.operator== 21:54
        ref Field other.sides_ in app.core.Shape.operator== 21:70
        ref Call visitor/1(this) in app.core.Shape.visit 23:51
        ref Type Builder in app.core.Shape 25:16
        ref Type Canvas in app.core.Shape.paint 29:14
        ref Type std.vector in app.core.Shape.parts_ 32:8
        ref Type std.shared_ptr in app.core.Shape.parts_ 32:20
        ref Type Part in app.core.Shape.parts_ 32:31
        ref Type std.function in app.core.Callback 37:23
        ref Type std.string in app.core.Shape.Shape 48:47
        ref Call std.make_unique/1('number) in app.core.Shape.area 51:22
        ref Type Canvas in app.core.Shape.area 51:34
        ref Construct Canvas/1('number) in app.core.Shape.area 52:3
        ref Construct Part/1('number) in app.core.Shape.area 53:3
        ref Name parts_ in app.core.Shape.area 54:27
        ref Field each.index in app.core.Shape.area 54:41
        ref Call use/1(key) in app.core.Shape.area 55:36
        ref Value key in app.core.Shape.area 55:40
        ref Call canvas.draw/1(count) in app.core.Shape.area 56:39
        ref Type Canvas in app.core.Shape.area 57:15
        ref Value raw in app.core.Shape.area 57:24
        ref Call {Canvas}.fill/0 in app.core.Shape.area 57:30
        ref Call std.runtime_error/1('string) in app.core.Shape.area 58:14
        ref Throw std.runtime_error in app.core.Shape.area 58:14
        ref Call app.core.maximum/2('number,'number) in app.core.Shape.area 59:14
        ref Call global/0 in app.core.Shape.area 60:5
        ref Construct Canvas/1('number) in app.core.Shape.area 61:7
        ref Field this.sides_ in app.core.Shape.area 62:16
        ref Type ShapeTest in ShapeTest.HasArea 65:8
        ref Call EXPECT_EQ/2('number,shape.area()) in ShapeTest.HasArea 65:30
        ref Call shape.area/0 in ShapeTest.HasArea 65:49
        ref Call SECTION/1('string) in adds numbers 66:39
        ref Call add/2('number,'number) in adds numbers 66:54
        import "memory" "" as "" in file
        import "net/socket.h" "" as "" in file
        import "std" "*" as "" in file
        import "net" "Socket" as "Socket" in file
        import "std" "filesystem" as "fs" in file
        bind other = Type Shape in app.core.Shape.operator==
        bind visitor = Type V in app.core.Shape.visit
        bind a = Type T in app.core.maximum
        bind b = Type T in app.core.maximum
        bind sides = Type int in app.core.Shape.Shape
        bind name = Type std::string in app.core.Shape.Shape
        bind canvas = Value {Canvas} in app.core.Shape.area
        bind local = Type Canvas in app.core.Shape.area
        bind part = Type Part in app.core.Shape.area
        bind each = Element parts_ in app.core.Shape.area
        bind run = Value  in app.core.Shape.area
        bind count = Type int in app.core.Shape.area
    "#]],
    );
}
