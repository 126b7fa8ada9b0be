//! Tests that extraction finds the declarations and uses in Ruby.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
# frozen_string_literal: true

require "json"
require_relative "foo/bar"

# Doc of A.
module A
  autoload :Site, "a/site"
  VERSION = "1.0"
  Point = Struct.new(:x, :y) do
    def dist; x * y; end
  end

  # Doc of B.
  class B < Liquid::Tag
    include Comparable, Foo::Bar
    extend Forwardable
    attr_accessor :name, :site
    attr_reader :x # reader

    # Makes.
    def initialize(name, opts = {}, *rest, key: 1, **kw, &block)
      @name = name
      @site = Site.new(opts)
      super()
    end

    class << self
      def create(a) = new(a)
    end
    def self.build(x); create(x).process; end

    define_method(:dyn) { |a| a.go }
    alias_method :old, :new_one

    def run
      y = Foo::Thing.new(1)
      y.call(helper) { |z| z.foo }
      process
      site.each { |s| s.render(arg) }
      ENV["HOME"]; ENV.fetch("X", nil); system("git status")
      raise Errors::Fatal, "x" unless ok?
      before_action :authenticate
      method(:run)
      A::B.build(1)
      y
    rescue StandardError => e
      log e.message
    end

    private

    def secret(a) a end
  end
  class C::D; def run; end; end
end
describe "x" do
  it "works" do
    expect(A.new.run).to eq(1)
  end
end
def top; end
"#;

#[test]
fn declarations_and_uses_of_ruby_are_found() {
    check(
        "ruby",
        SOURCE,
        expect![[r#"
            ruby package="" lines=63
            module A 8-57 `module A` public doc="Doc of A."
              constant A.VERSION 10-10 `VERSION = "1.0"` public
              struct A.Point 11-13 `Point = Struct.new(:x, :y) do def dist; x * y; end end` public
                property A.Point.x 11-11 `:x` public
                property A.Point.y 11-11 `:y` public
                method A.Point.dist 12-12 `def dist` ()/0 public
              class A.B 16-55 `class B < Liquid::Tag` Extends(Liquid.Tag) Embeds(Comparable) Embeds(Foo.Bar) Embeds(Forwardable) public doc="Doc of B."
                property A.B.name 19-19 `:name` public
                property A.B.site 19-19 `:site` : Site public
                property A.B.x 20-20 `:x` public
                constructor A.B.initialize 23-27 `def initialize(name, opts = {}, *rest, key: 1, **kw, &block)` (name,opts,rest,key,kw,block)/6 public doc="Makes."
                method A.B.create 30-30 `def self.create(a)` (a)/1 public
                method A.B.build 32-32 `def self.build(x)` (x)/1 public
                method A.B.dyn 34-34 `define_method(:dyn) { |a| a.go }` ()/0 public
                method A.B.old 35-35 `alias_method :old, :new_one` ()/0 public
                method A.B.run 37-50 `def run` ()/0 public
                method A.B.secret 54-54 `def secret(a)` (a)/1 private
              class A.C.D 56-56 `class C::D` public
                method A.C.D.run 56-56 `def run; end` ()/0 public
            function works 59-61 `it "works" do` ()/0 public test
            function top 63-63 `def top; end` ()/0 public
            ref Value Site in A 9:13
            ref Construct Struct/2 in A.Point 11:11
            ref Call x/0 in A.Point.dist 12:15
            ref Call y/0 in A.Point.dist 12:19
            ref Value Liquid in A.B 16:13
            ref Base Liquid.Tag in A.B 16:21
            ref Base Comparable in A.B 17:13
            ref Value Foo in A.B 17:25
            ref Base Foo.Bar in A.B 17:30
            ref Base Forwardable in A.B 18:12
            ref Name @name in A.B.initialize 24:7
            ref Name @site in A.B.initialize 25:7
            ref Construct Site/1 in A.B.initialize 25:15
            ref Call super/0 in A.B.initialize 26:7
            ref Call create/1 in A.B.build 32:24
            ref Call create().process/0 in A.B.build 32:34
            ref Call a.go/0 in A.B.dyn 34:33
            ref Value new_one in A.B.old 35:25
            ref Value Foo in A.B.run 38:11
            ref Construct Foo.Thing/1 in A.B.run 38:16
            ref Call y.call/1 in A.B.run 39:9
            ref Call helper/0 in A.B.run 39:14
            ref Call z.foo/0 in A.B.run 39:30
            ref Call process/0 in A.B.run 40:7
            ref Call site/0 in A.B.run 41:7
            ref Call site.each/0 in A.B.run 41:12
            ref Call s.render/1 in A.B.run 41:25
            ref Call arg/0 in A.B.run 41:32
            ref Value ENV in A.B.run 42:7
            ref Env HOME in A.B.run 42:11
            ref Value ENV in A.B.run 42:20
            ref Call ENV.fetch/2 in A.B.run 42:24
            ref Env X in A.B.run 42:30
            ref Call system/1 in A.B.run 42:41
            ref Process git in A.B.run 42:48
            ref Value Errors in A.B.run 43:13
            ref Value Errors.Fatal in A.B.run 43:21
            ref Throw Errors.Fatal in A.B.run 43:21
            ref Call ok?/0 in A.B.run 43:39
            ref Call before_action/1 in A.B.run 44:7
            ref Value authenticate in A.B.run 44:22
            ref Call method/1 in A.B.run 45:7
            ref Value run in A.B.run 45:15
            ref Value A in A.B.run 46:7
            ref Value A.B in A.B.run 46:10
            ref Call A.B.build/1 in A.B.run 46:12
            ref Value StandardError in A.B.run 48:12
            ref Call log/1 in A.B.run 49:7
            ref Call e.message/0 in A.B.run 49:13
            ref Value C in A.C.D 56:9
            ref Call describe/1 in file 58:1
            ref Call it/1 in works 59:3
            ref Call expect/1 in works 60:5
            ref Construct A in works 60:12
            ref Call A.new().run/0 in works 60:18
            ref Call expect().to/1 in works 60:23
            ref Call eq/1 in works 60:26
            import "json" "" as "" in file
            import "./foo/bar" "" as "" in file
            import "a/site" "Site" as "Site" in A
            bind @name = Value name in A.B
            bind @site = Type Site in A.B
            bind y = Type Foo.Thing in A.B.run
            bind e = Type StandardError in A.B.run
        "#]],
    );
}

#[test]
fn visibility_applies_to_the_rest_of_a_body_or_to_named_members() {
    check(
        "ruby",
        r#"
module A
  class << self
    def pub; end
    private
    def priv; end
  end
  def self.after; end
  def inst; end
end
class Vis
  def pub1; end
  private
  attr_reader :hidden
  # Documented.
  def priv1; end
  def self.open_to_all; end
  class << self
    def of_class; end
  end
  class Nested
    def nested_pub; end
  end
  def still_priv; end
  public
  def pub2; end
  def late_priv; end
  def late_too; end
  private :late_priv, "late_too"
  private def inline_priv; end
  private attr_reader :x, :y
  protected attr_accessor :z
  def pub3; end
  other.private
  private if false
  def pub4; end
end
"#,
        expect![[r#"
            ruby package="" lines=37
            module A 2-10 `module A` public
              method A.pub 4-4 `def self.pub; end` ()/0 public
              method A.priv 6-6 `def self.priv; end` ()/0 private
              method A.after 8-8 `def self.after; end` ()/0 public
              method A.inst 9-9 `def inst; end` ()/0 public
            class Vis 11-37 `class Vis` public
              method Vis.pub1 12-12 `def pub1; end` ()/0 public
              property Vis.hidden 14-14 `:hidden` private
              method Vis.priv1 16-16 `def priv1; end` ()/0 private doc="Documented."
              method Vis.open_to_all 17-17 `def self.open_to_all; end` ()/0 public
              method Vis.of_class 19-19 `def self.of_class; end` ()/0 public
              class Vis.Nested 21-23 `class Nested` public
                method Vis.Nested.nested_pub 22-22 `def nested_pub; end` ()/0 public
              method Vis.still_priv 24-24 `def still_priv; end` ()/0 private
              method Vis.pub2 26-26 `def pub2; end` ()/0 public
              method Vis.late_priv 27-27 `def late_priv; end` ()/0 private
              method Vis.late_too 28-28 `def late_too; end` ()/0 private
              method Vis.inline_priv 30-30 `def inline_priv; end` ()/0 private
              property Vis.x 31-31 `:x` private
              property Vis.y 31-31 `:y` private
              property Vis.z 32-32 `:z` protected
              method Vis.pub3 33-33 `def pub3; end` ()/0 public
              method Vis.pub4 36-36 `def pub4; end` ()/0 public
            ref Value late_priv in Vis 29:12
            ref Call other/0 in Vis 34:3
            ref Call other.private/0 in Vis 34:9
        "#]],
    );
}

#[test]
fn methods_of_a_singleton_class_are_static_only_for_the_enclosing_type() {
    check(
        "ruby",
        r#"
class Order
  class << self
    private
    def of_self(a); end
    def [](at) = at
    attr_reader :limit
    define_method(:dyn) { 1 }
    alias_method :old, :of_self
    public def self.deep; end
    class << OTHER
      def of_other_inside; end
    end
  end
  class << Order
    def of_name; end
  end
  class << OTHER
    def of_other; end
  end
  private
  class << @held
    def of_held; end
  end
  def run_it
    o = Object.new
    class << o
      def sing_x; end
    end
    class << self
      def of_value; end
    end
  end
end
module Shop
  class Cart
    class << Shop::Cart
      def of_path; end
    end
    class << Shop
      def of_outer; end
    end
  end
end
class << Order
  def from_outside; end
end
class << self
  def of_main; end
end
def run_at_top
  class << self
    def of_caller; end
  end
end
"#,
        expect![[r#"
            ruby package="" lines=55
            class Order 2-34 `class Order` public
              method Order.of_self 5-5 `def self.of_self(a); end` (a)/1 private
              method Order.[] 6-6 `def self.[](at)` (at)/1 private
              property Order.limit 7-7 `def self.limit` private
              method Order.dyn 8-8 `def self.dyn` ()/0 private
              method Order.old 9-9 `def self.old` ()/0 private
              method Order.deep 10-10 `def self.deep; end` ()/0 public
              method Order.of_other_inside 12-12 `def of_other_inside; end` ()/0 public
              method Order.of_name 16-16 `def self.of_name; end` ()/0 public
              method Order.of_other 19-19 `def of_other; end` ()/0 public
              method Order.of_held 23-23 `def of_held; end` ()/0 public
              method Order.run_it 25-33 `def run_it` ()/0 private
                function Order.run_it.sing_x 28-28 `def sing_x; end` ()/0 public
                function Order.run_it.of_value 31-31 `def of_value; end` ()/0 public
            module Shop 35-44 `module Shop` public
              class Shop.Cart 36-43 `class Cart` public
                method Shop.Cart.of_path 38-38 `def self.of_path; end` ()/0 public
                method Shop.Cart.of_outer 41-41 `def of_outer; end` ()/0 public
            function from_outside 46-46 `def from_outside; end` ()/0 public
            function of_main 49-49 `def of_main; end` ()/0 public
            function run_at_top 51-55 `def run_at_top` ()/0 public
              function run_at_top.of_caller 53-53 `def of_caller; end` ()/0 public
            ref Value of_self in Order.old 9:25
            ref Value OTHER in Order 11:14
            ref Value Order in Order 15:12
            ref Value OTHER in Order 18:12
            ref Construct Object in Order.run_it 26:9
            ref Value Shop in Shop.Cart 37:14
            ref Value Shop.Cart in Shop.Cart 37:20
            ref Value Shop in Shop.Cart 40:14
            ref Value Order in file 45:10
            bind o = Type Object in Order.run_it
        "#]],
    );
}

#[test]
fn methods_in_a_class_methods_block_of_a_module_are_static() {
    check(
        "ruby",
        r#"
module Sluggable
  extend ActiveSupport::Concern
  included do
    def of_value; end
  end
  private
  class_methods do
    def slug_for(title) = title
    attr_reader :limit
    private
    def hidden; end
  end
  def of_private; end
  class_methods { def in_braces; end }
  other.class_methods { def of_other; end }
  class_methods
  def still_of_value; end
end
class Order
  class_methods do
    def of_class; end
  end
end
class_methods do
  def at_top; end
end
"#,
        expect![[r#"
            ruby package="" lines=27
            module Sluggable 2-19 `module Sluggable` Embeds(ActiveSupport.Concern) public
              method Sluggable.of_value 5-5 `def of_value; end` ()/0 public
              method Sluggable.slug_for 9-9 `def self.slug_for(title)` (title)/1 public
              property Sluggable.limit 10-10 `def self.limit` public
              method Sluggable.hidden 12-12 `def self.hidden; end` ()/0 private
              method Sluggable.of_private 14-14 `def of_private; end` ()/0 private
              method Sluggable.in_braces 15-15 `def self.in_braces; end` ()/0 public
              method Sluggable.of_other 16-16 `def of_other; end` ()/0 private
              method Sluggable.still_of_value 18-18 `def still_of_value; end` ()/0 private
            class Order 20-24 `class Order` public
              method Order.of_class 22-22 `def of_class; end` ()/0 public
            function at_top 26-26 `def at_top; end` ()/0 public
            ref Value ActiveSupport in Sluggable 3:10
            ref Base ActiveSupport.Concern in Sluggable 3:25
            ref Call included/0 in Sluggable 4:3
            ref Call class_methods/0 in Sluggable 8:3
            ref Call class_methods/0 in Sluggable 15:3
            ref Call other/0 in Sluggable 16:3
            ref Call other.class_methods/0 in Sluggable 16:9
            ref Call class_methods/0 in Sluggable 17:3
            ref Call class_methods/0 in Order 21:3
            ref Call class_methods/0 in file 25:1
        "#]],
    );
}
