//! Tests that extraction finds the declarations and uses in Objective-C.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
#import "Store.h"
@import Foundation;

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
        objc package="" lines=43
        interface Drawing 5-7 `@protocol Drawing <NSObject>` Extends(NSObject) public
          method Drawing.draw 6-6 `- (void)draw` ()/0 : void public
        class View 10-17 `@interface View : Base <Drawing, NSCopying>` Extends(Base) Implements(Drawing) Implements(NSCopying) public doc="A view."
          field View._count 12-12 `int _count` : int public
          property View.store 14-14 `@property (nonatomic, strong) Store *store` : Store public
          method View.initWithName:age: 15-15 `- (instancetype)initWithName:(NSString *)name age:(int)age` (NSString*,int)/2 : ~View public
          method View.shared 16-16 `+ (View *)shared` ()/0 : ~View public
        method View.extra 20-20 `- (void)extra` ()/0 : ~void public
        method View.initWithName:age: 24-32 `- (instancetype)initWithName:(NSString *)name age:(int)age` (NSString*,int)/2 : View public
        method View.shared 33-33 `+ (View *)shared` ()/0 : View public
        method View.draw 34-34 `- (void)draw` ()/0 : void public
        function helper 37-37 `static void helper(int a)` (int)/1 : void private
        class ViewTests 39-40 `@interface ViewTests : XCTestCase @end` Extends(XCTestCase) public
        method ViewTests.testDraw 42-42 `- (void)testDraw` ()/0 : void public test
        ref Base NSObject in Drawing 5:20
        ref Base Base in View 10:19
        ref Base Drawing in View 10:25
        ref Base NSCopying in View 10:34
        ref Type Store in View.store 14:31
        ref Type NSString in View.initWithName:age: 15:31
        ref Type View in View.shared 16:4
        ref Type NSString in View.initWithName:age: 24:31
        ref Call @super.init/0 in View.initWithName:age: 25:17
        ref Type View in View.initWithName:age: 26:3
        ref Call View.alloc/0 in View.initWithName:age: 26:24
        ref Call {View}.initWithName:age:/2 in View.initWithName:age: 26:31
        ref Field other.store in View.initWithName:age: 27:10
        ref Call other.store.load/0 in View.initWithName:age: 27:16
        ref Call this.draw/0 in View.initWithName:age: 28:9
        ref Call View.shared/0 in View.initWithName:age: 29:10
        ref Call View.shared().draw/0 in View.initWithName:age: 29:18
        ref Call other.draw/0 in View.initWithName:age: 30:42
        ref Type View in View.shared 33:4
        ref Type View in View.shared 33:27
        ref Call helper/1(_count) in View.draw 34:16
        ref Value _count in View.draw 34:23
        ref Base XCTestCase in ViewTests 39:24
        ref Call View.shared/0 in ViewTests.testDraw 42:27
        ref Call View.shared().draw/0 in ViewTests.testDraw 42:35
        import "Store.h" "" as "" in file
        import "Foundation" "" as "" in file
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
