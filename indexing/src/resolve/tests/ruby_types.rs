//! Ruby: methods that code calls on a class itself (mailers, `class_methods`).

use super::incremental::apply_edit;
use super::{check, format_edges, parse_fixture, resolve_workspace};
use expect_test::expect;
use kenning_graph::EdgeKind::Calls;

#[test]
fn a_mailer_class_responds_to_its_instance_methods() {
    check(
        "//- app/mailers/application_mailer.rb
        class ApplicationMailer < ActionMailer::Base
        end
        //- app/mailers/order_mailer.rb
        class OrderMailer < ApplicationMailer
          def confirm(order)
            mail(to: order)
          end
          def self.digest
            confirm(1)
          end
          private
          def secret_part = 1
        end
        class TopMailer < ::ActionMailer::Base
          def top_letter = 1
        end
        class Record < ActiveRecord::Base
          def total_all = 1
        end
        //- app/order.rb
        def place(order)
          OrderMailer.confirm(order).deliver_later
          OrderMailer.secret_part
          TopMailer.top_letter
          Record.total_all
        end",
        &[Calls],
        expect![[r#"
            calls app/mailers/order_mailer.rb::OrderMailer.digest -> app/mailers/order_mailer.rb::OrderMailer.confirm
            calls app/order.rb::place -> app/mailers/order_mailer.rb::OrderMailer.confirm
            calls app/order.rb::place -> app/mailers/order_mailer.rb::OrderMailer.secret_part (ast_inferred 0.70)
            calls app/order.rb::place -> app/mailers/order_mailer.rb::Record.total_all (ast_inferred 0.70)
            calls app/order.rb::place -> app/mailers/order_mailer.rb::TopMailer.top_letter
            resolved 5 ambiguous 0 external 2 unresolved 0
        "#]],
    );
}

#[test]
fn members_in_class_methods_belong_to_the_including_types() {
    check(
        "//- a.rb
        module Sluggable
          extend ActiveSupport::Concern
          class_methods do
            def slug_for(title)
              clean_slug(title)
            end
            def clean_slug(title) = title
          end
          def slug
            self.class.slug_for(1)
          end
          def wrong
            self.class.slug
          end
        end
        module Late
          include Sluggable
          def later
            self.class.slug_for(2)
          end
        end
        class Post
          include Sluggable
          def go
            self.class.slug_for(2)
            Post.slug_for(3)
          end
        end
        module Old
          def self.included(base)
            base.extend(ClassMethods)
          end
          module ClassMethods
            def old_name = 1
          end
          def old
            self.class.old_name
          end
        end
        module Unknown
          extend ActiveSupport::Concern
          def ask
            self.class.asked_name
          end
        end
        class Asked
          def self.asked_name = 1
          def ask_all
            class_methods do
              def inner_one = 1
            end
          end
        end",
        &[Calls],
        expect![[r#"
            calls a.rb::Late.later -> a.rb::Sluggable.slug_for
            calls a.rb::Old.old -> a.rb::Old.ClassMethods.old_name
            calls a.rb::Post.go -> a.rb::Sluggable.slug_for
            calls a.rb::Sluggable.slug -> a.rb::Sluggable.slug_for
            calls a.rb::Sluggable.slug_for -> a.rb::Sluggable.clean_slug
            calls a.rb::Unknown.ask -> a.rb::Asked.asked_name (ast_inferred 0.70)
            resolved 7 ambiguous 0 external 7 unresolved 3
        "#]],
    );
}

#[test]
fn class_level_methods_follow_changes_to_bases_in_other_files() {
    let mut workspace = parse_fixture(
        "//- mailer.rb
        class OrderMailer < AppMailer
          def confirm(order) = order
        end
        //- app.rb
        class AppMailer
        end
        //- concern.rb
        module Sluggable
          def slug_for(title) = title
        end
        //- outer.rb
        module Outer
          include Sluggable
          def go
            self.class.slug_for(1)
            OrderMailer.confirm(self)
          end
        end",
    );
    let mut snapshot = resolve_workspace(&workspace);
    let calls = |snapshot: &_| format_edges(snapshot, |kind| kind == Calls);
    let mut states = String::new();
    for (path, text) in [
        ("app.rb", "class AppMailer < ActionMailer::Base\nend\n"),
        ("mailer.rb", "class OrderMailer < AppMailer\n  private def confirm(order) = order\nend\n"),
        ("mailer.rb", "class OrderMailer < AppMailer\n  def confirm(order) = order\nend\n"),
        ("concern.rb", "module Sluggable\n  class_methods do\n    def slug_for(title) = title\n  end\nend\n"),
        (
            "concern.rb",
            "module Sluggable\n  module ClassMethods\n    def slug_for(title) = title\n  end\nend\n",
        ),
        (
            "concern.rb",
            "module Sluggable\n  class ClassMethods\n    def slug_for(title) = title\n  end\nend\n",
        ),
        ("app.rb", "class AppMailer\nend\n"),
    ] {
        snapshot = apply_edit(&snapshot, &mut workspace, path, Some(text));
        assert_eq!(calls(&snapshot), calls(&resolve_workspace(&workspace)), "{path} {text}");
        states += &calls(&snapshot);
        states += "\n";
    }
    expect![[r#"
        calls outer.rb::Outer.go -> concern.rb::Sluggable.slug_for (ast_inferred 0.70)
        calls outer.rb::Outer.go -> mailer.rb::OrderMailer.confirm

        calls outer.rb::Outer.go -> concern.rb::Sluggable.slug_for (ast_inferred 0.70)
        calls outer.rb::Outer.go -> mailer.rb::OrderMailer.confirm (ast_inferred 0.70)

        calls outer.rb::Outer.go -> concern.rb::Sluggable.slug_for (ast_inferred 0.70)
        calls outer.rb::Outer.go -> mailer.rb::OrderMailer.confirm

        calls outer.rb::Outer.go -> concern.rb::Sluggable.slug_for
        calls outer.rb::Outer.go -> mailer.rb::OrderMailer.confirm

        calls outer.rb::Outer.go -> concern.rb::Sluggable.ClassMethods.slug_for
        calls outer.rb::Outer.go -> mailer.rb::OrderMailer.confirm

        calls outer.rb::Outer.go -> concern.rb::Sluggable.ClassMethods.slug_for (ast_inferred 0.70)
        calls outer.rb::Outer.go -> mailer.rb::OrderMailer.confirm

        calls outer.rb::Outer.go -> concern.rb::Sluggable.ClassMethods.slug_for (ast_inferred 0.70)
        calls outer.rb::Outer.go -> mailer.rb::OrderMailer.confirm (ast_inferred 0.70)

    "#]]
    .assert_eq(&states);
}

#[test]
fn bases_beyond_the_limit_are_dropped_in_the_order_of_file_and_name() {
    let base = |n| format!("module K{n:03}\n  def go{n:03} = 1\nend\n");
    let bases: String = (0..200).map(base).collect();
    let part = |n| format!("class D\n  include K{n:03}\nend\n");
    let ascending: String = (0..200).map(part).collect();
    let descending: String = (0..200).rev().map(part).collect();
    let fewer: String = (20..200).map(part).collect();
    let mut workspace = parse_fixture(
        "//- use.rb
        class Late < D
          def run
            go100
            go199
          end
        end",
    );
    workspace.extend([("a.rb".to_owned(), bases), ("d.rb".to_owned(), ascending)]);
    let mut snapshot = resolve_workspace(&workspace);
    let calls = |snapshot: &_| format_edges(snapshot, |kind| kind == Calls);
    let before = calls(&snapshot);
    expect![[r#"
        calls use.rb::Late.run -> a.rb::K100.go100
    "#]]
    .assert_eq(&before);
    for text in [&descending, &fewer, &part(199)] {
        snapshot = apply_edit(&snapshot, &mut workspace, "d.rb", Some(text));
        assert_eq!(calls(&snapshot), calls(&resolve_workspace(&workspace)));
    }
    expect![[r#"
        calls use.rb::Late.run -> a.rb::K199.go199
    "#]]
    .assert_eq(&calls(&snapshot));
}
