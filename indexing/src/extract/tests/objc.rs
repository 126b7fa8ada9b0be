//! Tests that extraction finds the declarations and uses in Objective-C.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
#import "Store.h"
@import Foundation;
@import UIKit.UIView;

@protocol Drawing <NSObject>
- (void)draw;
@end

/// A view.
@interface View : Base <Drawing, NSCopying> {
  @private
  int _count;
}
@property (nonatomic, strong) Store *store;
- (instancetype)initWithName:(NSString *)name age:(int)age;
+ (View *)shared;
@end

@interface View (Extra)
- (void)extra;
@end

@implementation View
- (instancetype)initWithName:(NSString *)name age:(int)age {
  self = [super init];
  View *other = [[View alloc] initWithName:@"x" age:3];
  [other.store load];
  [self draw];
  [[View shared] draw];
  void (^block)(int) = ^(int a) { [other draw]; };
  return self;
}
+ (View *)shared { static View *shared; return shared; }
- (void)draw { helper(_count); }
@end

static void helper(int a) {}

@interface ViewTests : XCTestCase
@end
@implementation ViewTests
- (void)testDraw { [[View shared] draw]; }
@end
"#;

#[test]
fn declarations_and_uses_of_objective_c_are_found() {
    check(
        "objc",
        SOURCE,
        expect![[r#"
            objc package="" lines=44
            interface Drawing 6-8 `@protocol Drawing <NSObject>` Extends(NSObject) public
              method Drawing.draw 7-7 `- (void)draw` ()/0 : void public
            class View 11-18 `@interface View : Base <Drawing, NSCopying>` Extends(Base) Implements(Drawing) Implements(NSCopying) public doc="A view."
              field View._count 13-13 `int _count` : int public
              property View.store 15-15 `@property (nonatomic, strong) Store *store` : Store public
              method View.initWithName:age: 16-16 `- (instancetype)initWithName:(NSString *)name age:(int)age` (NSString*,int)/2 : ~View public
              method View.shared 17-17 `+ (View *)shared` ()/0 : ~View public
            method View.extra 21-21 `- (void)extra` ()/0 : ~void public
            method View.initWithName:age: 25-33 `- (instancetype)initWithName:(NSString *)name age:(int)age` (NSString*,int)/2 : View public
            method View.shared 34-34 `+ (View *)shared` ()/0 : View public
            method View.draw 35-35 `- (void)draw` ()/0 : void public
            function helper 38-38 `static void helper(int a)` (int)/1 : void private
            class ViewTests 40-41 `@interface ViewTests : XCTestCase @end` Extends(XCTestCase) public
            method ViewTests.testDraw 43-43 `- (void)testDraw` ()/0 : void public test
            ref Base NSObject in Drawing 6:20
            ref Base Base in View 11:19
            ref Base Drawing in View 11:25
            ref Base NSCopying in View 11:34
            ref Type Store in View.store 15:31
            ref Type NSString in View.initWithName:age: 16:31
            ref Type View in View.shared 17:4
            ref Type NSString in View.initWithName:age: 25:31
            ref Call @super.init/0 in View.initWithName:age: 26:17
            ref Type View in View.initWithName:age: 27:3
            ref Call View.alloc/0 in View.initWithName:age: 27:24
            ref Call {View}.initWithName:age:/2 in View.initWithName:age: 27:31
            ref Field other.store in View.initWithName:age: 28:10
            ref Call other.store.load/0 in View.initWithName:age: 28:16
            ref Call this.draw/0 in View.initWithName:age: 29:9
            ref Call View.shared/0 in View.initWithName:age: 30:10
            ref Call View.shared().draw/0 in View.initWithName:age: 30:18
            ref Call other.draw/0 in View.initWithName:age: 31:42
            ref Type View in View.shared 34:4
            ref Type View in View.shared 34:27
            ref Call helper/1(_count) in View.draw 35:16
            ref Value _count in View.draw 35:23
            ref Base XCTestCase in ViewTests 40:24
            ref Call View.shared/0 in ViewTests.testDraw 43:27
            ref Call View.shared().draw/0 in ViewTests.testDraw 43:35
            import "Store.h" "" as "" in file
            import "Foundation" "" as "" in file
            import "UIKit" "" as "" in file
            bind name = Type NSString in View.initWithName:age:
            bind age = Type int in View.initWithName:age:
            bind other = Type View in View.initWithName:age:
            bind block = Type void in View.initWithName:age:
            bind a = Type int in View.initWithName:age:
            bind shared = Type View in View.shared
            bind a = Type int in helper
        "#]],
    );
}
