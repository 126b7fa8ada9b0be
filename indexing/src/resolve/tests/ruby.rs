//! Ruby: names, receivers, inheritance and types across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_constants_receivers_and_modules() {
    check(
        "//- lib/shop.rb
        require 'json'
        require 'shop/site'
        require_relative 'shop/reader'
        module Shop
          class << self
            def logger
              Reader.new(nil)
            end
          end
          module Loud
            def shout; end
          end
        end
        //- lib/shop/reader.rb
        module Shop
          class Reader
            def initialize(site); end
            def scan; end
          end
        end
        //- lib/shop/base.rb
        module Shop
          class Base
            def prepare; finish; end
            def finish; end
          end
        end
        //- lib/shop/site.rb
        module Shop
          class Site < Base
            include Loud
            attr_reader :reader
            def initialize(config)
              @reader = Reader.new(self)
            end

            def process
              prepare
              self.finish
              @reader.scan
              reader.scan
              shout
              Shop.logger
              Shop::Reader.new(1).scan
              puts 'x'
              JSON.parse('x')
            end

            def finish; end
          end
        end
        //- lib/shop/more.rb
        module Shop
          class Site
            def again; process; end
          end
        end
        //- spec/site_spec.rb
        require 'shop'
        def check_site
          site = Shop::Site.new({})
          site.process
          site.again
        end",
        &[Calls, Extends, Implements, Overrides, Imports, Tests],
        expect![[r#"
            calls lib/shop.rb::Shop.logger -> lib/shop/reader.rb::Shop.Reader.initialize
            calls lib/shop/base.rb::Shop.Base.prepare -> lib/shop/base.rb::Shop.Base.finish
            calls lib/shop/more.rb::Shop.Site.again -> lib/shop/site.rb::Shop.Site.process
            calls lib/shop/site.rb::Shop.Site.initialize -> lib/shop/reader.rb::Shop.Reader.initialize
            calls lib/shop/site.rb::Shop.Site.process -> lib/shop.rb::Shop.Loud.shout
            calls lib/shop/site.rb::Shop.Site.process -> lib/shop.rb::Shop.logger
            calls lib/shop/site.rb::Shop.Site.process -> lib/shop/base.rb::Shop.Base.prepare
            calls lib/shop/site.rb::Shop.Site.process -> lib/shop/reader.rb::Shop.Reader.initialize
            calls lib/shop/site.rb::Shop.Site.process -> lib/shop/reader.rb::Shop.Reader.scan
            calls lib/shop/site.rb::Shop.Site.process -> lib/shop/site.rb::Shop.Site.finish
            calls lib/shop/site.rb::Shop.Site.process -> lib/shop/site.rb::Shop.Site.reader
            calls spec/site_spec.rb::check_site -> lib/shop/more.rb::Shop.Site.again
            calls spec/site_spec.rb::check_site -> lib/shop/site.rb::Shop.Site.initialize
            calls spec/site_spec.rb::check_site -> lib/shop/site.rb::Shop.Site.process
            extends lib/shop/site.rb::Shop.Site -> lib/shop/base.rb::Shop.Base
            implements lib/shop/site.rb::Shop.Site -> lib/shop.rb::Shop.Loud
            imports lib/shop.rb -> external::json
            imports lib/shop.rb -> lib/shop/reader.rb
            imports lib/shop.rb -> lib/shop/site.rb
            imports spec/site_spec.rb -> lib/shop.rb
            overrides lib/shop/site.rb::Shop.Site.finish -> lib/shop/base.rb::Shop.Base.finish
            tests spec/site_spec.rb::check_site -> lib/shop/more.rb::Shop.Site.again
            tests spec/site_spec.rb::check_site -> lib/shop/site.rb::Shop.Site.initialize
            tests spec/site_spec.rb::check_site -> lib/shop/site.rb::Shop.Site.process
            resolved 16 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn unknown_receivers_are_ambiguous_or_inferred() {
    check(
        "//- a.rb
        class A
          def paint_all; end
          def alone?; end
          def each; end
        end
        class B
          def paint_all; end
        end
        def use(x)
          x.paint_all
          x.alone?
          x.each
          x.nowhere
        end",
        &[Calls],
        expect![[r#"
            calls a.rb::use -> a.rb::A.alone? (ast_inferred 0.70)
            calls a.rb::use -> a.rb::A.paint_all (ast_inferred 0.42)
            calls a.rb::use -> a.rb::B.paint_all (ast_inferred 0.42)
            resolved 1 ambiguous 1 external 2 unresolved 0
        "#]],
    );
}

#[test]
fn types_follow_from_returned_expressions_and_assigned_variables() {
    check(
        r#"//- lib/writer.rb
        class Writer
          def put(text); end
          def self.open; new; end
        end
        //- lib/site.rb
        class Site
          attr_reader :writer, :docs
          attr_writer :title
          def initialize
            @writer = Writer.new
          end
          def title; @title; end
          def logger
            @logger ||= Writer.new
          end
          def itself_again
            self
          end
          def process_all; end
        end
        //- lib/app.rb
        class App
          def run(site, other)
            Site.new.logger.put("a")
            Site.new.writer.put("b")
            Site.new.itself_again.process_all
            site.title
            @site.docs
            other.docs
            other.process_all
            self.class.build
          end
          def self.build; end
        end"#,
        &[Calls],
        expect![[r#"
            calls lib/app.rb::App.run -> lib/app.rb::App.build
            calls lib/app.rb::App.run -> lib/site.rb::Site.docs (ast_inferred 0.70)
            calls lib/app.rb::App.run -> lib/site.rb::Site.initialize
            calls lib/app.rb::App.run -> lib/site.rb::Site.itself_again
            calls lib/app.rb::App.run -> lib/site.rb::Site.logger
            calls lib/app.rb::App.run -> lib/site.rb::Site.process_all
            calls lib/app.rb::App.run -> lib/site.rb::Site.title (ast_inferred 0.70)
            calls lib/app.rb::App.run -> lib/site.rb::Site.writer
            calls lib/app.rb::App.run -> lib/writer.rb::Writer.put
            calls lib/site.rb::Site.initialize -> lib/writer.rb::Writer
            calls lib/site.rb::Site.logger -> lib/writer.rb::Writer
            resolved 15 ambiguous 0 external 1 unresolved 1
        "#]],
    );
}

#[test]
fn methods_of_a_module_are_not_visible_in_its_classes() {
    check(
        r#"//- lib/tools.rb
        module Tools
          extend self
          def windows?; vanilla; end
          def vanilla; end
          class Part
            def go; vanilla; end
          end
        end
        //- lib/use.rb
        class Use
          def go
            Tools.windows?
            Foreign::Thing.windows?
          end
        end"#,
        &[Calls],
        expect![[r#"
            calls lib/tools.rb::Tools.windows? -> lib/tools.rb::Tools.vanilla
            calls lib/use.rb::Use.go -> lib/tools.rb::Tools.windows?
            resolved 2 ambiguous 0 external 1 unresolved 1
        "#]],
    );
}

#[test]
fn super_calls_the_overridden_method() {
    check(
        "//- base.rb
        class Root
          def initialize(x); end
        end
        class Base < Root
          def hook; Use.new; end
          def arg(x); end
          def other; end
          def self.make; new; end
        end
        //- mid.rb
        class Mid < Base
          def initialize; super(1); end
          def hook
            [1].each { |x| super }
          end
          def arg(x)
            super(x)
          end
          def self.make
            super.hook
          end
          def unknown; super; end
        end
        class Leaf < Mid
          def hook = super
          def arg(x) = super { |y| y }
          def other; @made ||= super; end
        end
        class Outer < Outside
          def hook; super; end
        end",
        &[Calls],
        expect![[r#"
            calls mid.rb::Leaf.arg -> mid.rb::Mid.arg
            calls mid.rb::Leaf.hook -> mid.rb::Mid.hook
            calls mid.rb::Leaf.other -> base.rb::Base.other
            calls mid.rb::Mid.arg -> base.rb::Base.arg
            calls mid.rb::Mid.hook -> base.rb::Base.hook
            calls mid.rb::Mid.initialize -> base.rb::Root.initialize
            calls mid.rb::Mid.make -> base.rb::Base.make
            resolved 7 ambiguous 0 external 3 unresolved 2
        "#]],
    );
}

#[test]
fn symbols_refer_to_callbacks_and_their_conditions() {
    check(
        "//- a.rb
        class User < Record
          before_save :norm, if: :dirty?, unless: :frozen_now
          rescue_from Gone, with: :missing
          validates :name, presence: true
          def norm; end
          def dirty?; end
          def frozen_now; end
          def missing; end
          def name; end
        end
        class Gone; end",
        &[References],
        expect![[r#"
            references a.rb::User -> a.rb::Gone
            references a.rb::User -> a.rb::User.dirty?
            references a.rb::User -> a.rb::User.frozen_now
            references a.rb::User -> a.rb::User.missing
            references a.rb::User -> a.rb::User.name
            references a.rb::User -> a.rb::User.norm
        "#]],
    );
}

#[test]
fn calls_on_self_reach_the_class_or_a_module() {
    check(
        "//- lib/sponge.rb
        class Sponge
          def post(url) = 1
          def self.fetch_all(url) = 2
        end
        module Helpers
          def stub_login(user) = 3
        end
        module Concern
          def both(url) = post(url)
        end
        //- lib/plugin.rb
        class Plugin
          def self.rank_as(name) = name
        end
        Generator = Class.new(Plugin)
        class Made < Generator
          rank_as :high
        end
        module Errors
          NotFound = Class.new(::Plugin) do
            def code = rank_of(404)
            def rank_of(number) = number
          end
        end
        //- spec/requests_spec.rb
        describe 'requests' do
          it 'posts' do
            stub_login :me
            post '/orders'
            fetch_all '/orders'
            sign_in_with 1
          end
        end
        //- spec/spec_helper.rb
        class Minitest::Spec
          def sign_in_with(user) = 5
        end
        //- lib/steps.rb
        class Object
          def try_hard(x) = 1
        end
        class Step
          def call(i) = perform_step(i)
          def hard = try_hard(1)
          def other(i) = parse_token(i)
        end
        class UploadStep < Step
          def perform_step(i) = i
        end
        class Parser
          def parse_token(x) = x
        end
        //- lib/opened.rb
        Parser.class_eval do
          def extra(x) = parse_token(x)
        end",
        &[Calls, Extends],
        expect![[r#"
            calls lib/opened.rb::extra -> lib/steps.rb::Parser.parse_token (ast_inferred 0.70)
            calls lib/plugin.rb::Errors.NotFound.code -> lib/plugin.rb::Errors.NotFound.rank_of
            calls lib/plugin.rb::Made -> lib/plugin.rb::Plugin.rank_as
            calls lib/sponge.rb::Concern.both -> lib/sponge.rb::Sponge.post (ast_inferred 0.70)
            calls lib/steps.rb::Step.call -> lib/steps.rb::UploadStep.perform_step (ast_inferred 0.70)
            calls lib/steps.rb::Step.hard -> lib/steps.rb::Object.try_hard (ast_inferred 0.70)
            calls spec/requests_spec.rb::posts -> lib/sponge.rb::Helpers.stub_login (ast_inferred 0.70)
            calls spec/requests_spec.rb::posts -> spec/spec_helper.rb::Minitest.Spec.sign_in_with (ast_inferred 0.70)
            extends lib/plugin.rb::Errors.NotFound -> lib/plugin.rb::Plugin
            extends lib/plugin.rb::Generator -> lib/plugin.rb::Plugin
            extends lib/plugin.rb::Made -> lib/plugin.rb::Generator
            extends lib/steps.rb::UploadStep -> lib/steps.rb::Step
            resolved 8 ambiguous 0 external 4 unresolved 4
        "#]],
    );
}
