//! PHP: names, receivers, inheritance and tests across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_namespaces_types_and_traits() {
    check(
        r#"//- src/Core/Base.php
        <?php
        namespace App\Core;
        abstract class Base implements Runs {
            public function __construct(protected Log $log) {}
            public function run(): void { $this->log->note('x'); static::make(); }
            public static function make(): static { return new static(new Log()); }
        }
        //- src/Core/Runs.php
        <?php
        namespace App\Core;
        interface Runs { public function run(): void; }
        //- src/Core/Log.php
        <?php
        namespace App\Core;
        class Log {
            /** @return Sink */
            public function sink() { return $this->open(); }
            public function note(string $text): void { helper($text); }
            public function __invoke(int $level): void {}
        }
        //- src/Core/functions.php
        <?php
        namespace App\Core;
        function helper(string $text): string { return strtolower($text); }
        //- src/Core/Sink.php
        <?php
        namespace App\Core;
        class Sink { public function flush(): void {} }
        //- src/Http/Shared.php
        <?php
        namespace App\Http;
        trait Shared { protected function shared(): int { return 1; } }
        //- src/Http/Handler.php
        <?php
        namespace App\Http;
        use App\Core\{Base, Log as L};
        use App\Core;
        use function App\Core\helper;
        use Psr\Http\Request;
        class Handler extends Base {
            use Shared;
            private $last;
            public function __construct(L $log, Request $request) {
                parent::__construct($log);
                $this->last = new L();
            }
            public function run(): void {
                parent::run();
                $this->shared();
                $this->last->sink()->flush();
                $log = new Core\Log();
                $log->note('a');
                $log(3);
                helper('x');
                \App\Core\helper('y');
                self::make()->run();
                Request::create();
                global_function();
                foreach ([new L()] as $each) { $each->unknown(); }
            }
        }
        //- lib/global.php
        <?php
        function global_function() {}
        //- tests/HandlerTest.php
        <?php
        namespace App\Tests;
        use App\Http\Handler;
        use App\Core\Log;
        use PHPUnit\Framework\TestCase;
        class HandlerTest extends TestCase {
            public function testRuns(): void { $handler = new Handler(new Log(), null); $handler->run(); }
        }
        "#,
        &[Calls, Extends, Implements, Overrides, Tests],
        expect![[r#"
            calls src/Core/Base.php::Base.make -> src/Core/Base.php::Base.__construct
            calls src/Core/Base.php::Base.make -> src/Core/Log.php::Log
            calls src/Core/Base.php::Base.run -> src/Core/Base.php::Base.make
            calls src/Core/Base.php::Base.run -> src/Core/Log.php::Log.note
            calls src/Core/Log.php::Log.note -> src/Core/functions.php::helper
            calls src/Http/Handler.php::Handler.__construct -> src/Core/Base.php::Base.__construct
            calls src/Http/Handler.php::Handler.__construct -> src/Core/Log.php::Log
            calls src/Http/Handler.php::Handler.run -> external::Psr.Http.Request.create
            calls src/Http/Handler.php::Handler.run -> lib/global.php::global_function
            calls src/Http/Handler.php::Handler.run -> src/Core/Base.php::Base.make
            calls src/Http/Handler.php::Handler.run -> src/Core/Base.php::Base.run
            calls src/Http/Handler.php::Handler.run -> src/Core/Log.php::Log
            calls src/Http/Handler.php::Handler.run -> src/Core/Log.php::Log.__invoke
            calls src/Http/Handler.php::Handler.run -> src/Core/Log.php::Log.note
            calls src/Http/Handler.php::Handler.run -> src/Core/Log.php::Log.sink
            calls src/Http/Handler.php::Handler.run -> src/Core/Sink.php::Sink.flush
            calls src/Http/Handler.php::Handler.run -> src/Core/functions.php::helper
            calls src/Http/Handler.php::Handler.run -> src/Http/Shared.php::Shared.shared
            calls tests/HandlerTest.php::HandlerTest.testRuns -> src/Core/Log.php::Log
            calls tests/HandlerTest.php::HandlerTest.testRuns -> src/Http/Handler.php::Handler.__construct
            calls tests/HandlerTest.php::HandlerTest.testRuns -> src/Http/Handler.php::Handler.run
            extends src/Http/Handler.php::Handler -> src/Core/Base.php::Base
            extends tests/HandlerTest.php::HandlerTest -> external::PHPUnit.Framework.TestCase
            implements src/Core/Base.php::Base -> src/Core/Runs.php::Runs
            implements src/Http/Handler.php::Handler -> src/Http/Shared.php::Shared
            overrides src/Core/Base.php::Base.run -> src/Core/Runs.php::Runs.run
            overrides src/Http/Handler.php::Handler.run -> src/Core/Base.php::Base.run
            tests tests/HandlerTest.php::HandlerTest.testRuns -> src/Core/Log.php::Log
            tests tests/HandlerTest.php::HandlerTest.testRuns -> src/Http/Handler.php::Handler.__construct
            tests tests/HandlerTest.php::HandlerTest.testRuns -> src/Http/Handler.php::Handler.run
            resolved 23 ambiguous 0 external 3 unresolved 1
        "#]],
    );
}

#[test]
fn included_files_and_files_without_a_namespace_share_names() {
    check(
        r#"//- index.php
        <?php
        require_once __DIR__ . '/lib/util.php';
        $tool = new Tool();
        $tool->use_it(format(1));
        //- lib/util.php
        <?php
        function format($value) { return $value; }
        //- classes/Tool.php
        <?php
        class Tool { function use_it($value) {} }
        "#,
        &[Calls, Imports],
        expect![[r#"
            calls index.php -> classes/Tool.php::Tool
            calls index.php -> classes/Tool.php::Tool.use_it
            calls index.php -> lib/util.php::format
            imports index.php -> lib/util.php
            resolved 3 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}
