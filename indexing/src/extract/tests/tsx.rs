//! Tests that extraction finds the declarations and uses in TSX.

use super::check;
use expect_test::expect;

const SOURCE: &str = r"
export const View: React.FC<Props> = ({ a }) => <Foo a={a} render={renderIt}>{a.b()}</Foo>;
export default class extends React.Component<Props> { render() { return <div/>; } }
";

#[test]
fn declarations_and_uses_of_tsx_are_found() {
    check(
        "tsx",
        SOURCE,
        expect![[r#"
            tsx package="" lines=3
            function View 2-2 `export const View: React.FC<Props> = ({ a })` ({a})/1 public
            class default 3-3 `export default class extends React.Component<Props>` Extends(React.Component) public
              method default.render 3-3 `render()` ()/0 public
            ref Type React.FC in View 2:26
            ref Type Props in View 2:29
            ref Call Foo in View 2:50
            ref Value renderIt in View 2:68
            ref Call a.b/0 in View 2:81
            ref Base React.Component in default 3:36
            ref Type Props in default 3:46
            bind a = Value :ReactFC<Props>.@0.a in View
        "#]],
    );
}
