//! All kinds of edges in Ruby.

use super::check;
use expect_test::expect;

const WORKSPACE: &str = r##"
        //- lib/broken.rb
        class Broken < StandardError
        end
        //- lib/base.rb
        module Greeting
          def greet; end
        end

        class Base
          include Greeting
          def start; end
          def stop; end
        end
        //- lib/app.rb
        require_relative 'base'
        require_relative 'broken'

        # Runs; {Base#start} begins.
        class App < Base
          LIMIT = 10
          attr_reader :size

          def initialize
            @size = 0
          end

          def stop; end

          def run(flags)
            start
            raise Broken if @size > LIMIT
            system('git status') if ENV['APP_HOME']
            `ls -l`
            raise Broken.new('no') if Flipper.enabled?(:new_run)
            each(method(:helper))
            App.new
          end

          def each(f); end
          def helper; end
        end
        //- test/app_test.rb
        require_relative '../lib/app'

        class AppTest < Minitest::Test
          def test_run
            check(App.new)
          end

          def check(app)
            app.run(nil)
          end
        end
        //- config/routes.rb
        Rails.application.routes.draw do
          resources :items, only: [:show]
        end
        //- app/items_controller.rb
        class ItemsController
          def show; end

          def load(id)
            HTTParty.get("https://x.org/items/#{id}")
          end
        end
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[],
        expect![[r#"
            accesses_field lib/app.rb::App.initialize -> lib/app.rb::App.size
            accesses_field lib/app.rb::App.run -> lib/app.rb::App.size
            calls lib/app.rb::App.run -> lib/app.rb::App.each
            calls lib/app.rb::App.run -> lib/app.rb::App.initialize
            calls lib/app.rb::App.run -> lib/base.rb::Base.start
            calls lib/app.rb::App.run -> lib/broken.rb::Broken
            calls test/app_test.rb::AppTest.test_run -> lib/app.rb::App.initialize
            calls test/app_test.rb::AppTest.test_run -> test/app_test.rb::AppTest.check
            consumes_endpoint app/items_controller.rb::ItemsController.load -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint app/items_controller.rb::ItemsController.load -> route::GET /items/{}
            documents lib/app.rb::App -> lib/base.rb::Base.start
            executes_process lib/app.rb::App.run -> process::git
            executes_process lib/app.rb::App.run -> process::ls
            extends lib/app.rb::App -> lib/base.rb::Base
            gated_by_flag lib/app.rb::App.run -> flag::new_run
            handles_route route::GET /items/{} -> app/items_controller.rb::ItemsController.show
            implements lib/base.rb::Base -> lib/base.rb::Greeting
            imports lib/app.rb -> lib/base.rb
            imports lib/app.rb -> lib/broken.rb
            imports test/app_test.rb -> lib/app.rb
            inherits lib/app.rb::App -> lib/base.rb::Base.start
            inherits lib/app.rb::App -> lib/base.rb::Greeting.greet
            inherits lib/base.rb::Base -> lib/base.rb::Greeting.greet
            member_of app/items_controller.rb::ItemsController.load -> app/items_controller.rb::ItemsController
            member_of app/items_controller.rb::ItemsController.show -> app/items_controller.rb::ItemsController
            member_of lib/app.rb::App.LIMIT -> lib/app.rb::App
            member_of lib/app.rb::App.each -> lib/app.rb::App
            member_of lib/app.rb::App.helper -> lib/app.rb::App
            member_of lib/app.rb::App.initialize -> lib/app.rb::App
            member_of lib/app.rb::App.run -> lib/app.rb::App
            member_of lib/app.rb::App.size -> lib/app.rb::App
            member_of lib/app.rb::App.stop -> lib/app.rb::App
            member_of lib/base.rb::Base.start -> lib/base.rb::Base
            member_of lib/base.rb::Base.stop -> lib/base.rb::Base
            member_of lib/base.rb::Greeting.greet -> lib/base.rb::Greeting
            member_of test/app_test.rb::AppTest.check -> test/app_test.rb::AppTest
            member_of test/app_test.rb::AppTest.test_run -> test/app_test.rb::AppTest
            overrides lib/app.rb::App.stop -> lib/base.rb::Base.stop
            reads_env lib/app.rb::App.run -> env::APP_HOME
            references lib/app.rb::App.run -> lib/app.rb::App.LIMIT
            references lib/app.rb::App.run -> lib/app.rb::App.helper
            references lib/app.rb::App.run -> lib/broken.rb::Broken
            tests test/app_test.rb::AppTest.test_run -> lib/app.rb::App.initialize
            throws lib/app.rb::App.run -> lib/broken.rb::Broken
        "#]],
    );
}
