//! Tests that extraction finds the declarations and uses in PHP.

use super::check_file;
use expect_test::expect_file;

const SOURCE: &str = r#"
<?php
declare(strict_types=1);
namespace App\Http;

use App\Core\{Base, Kernel as K};
use Psr\Log\LoggerInterface;
use function App\helper;
require_once __DIR__ . '/lib/util.php';

const LIMIT = 10;
define('OTHER', 2);

/** Adds numbers. */
function add(int $a, ?Foo $b = null, string ...$rest): int { return helper($a); }

#[Attr]
abstract class Handler extends Base implements \Countable, Sub\Thing
{
    use LogsThings, Other;
    public const MAX = 3;
    /** @var K */
    private $kernel;
    protected static ?self $one = null;
    public function __construct(private readonly LoggerInterface $log, K $k) {
        parent::__construct($k);
        $this->kernel = $k;
        $x = new Foo($k, 2);
        $x->go(1)->then();
        self::$one->run();
        static::make();
        \App\Core\Util::boot();
        Sub\Thing::x();
        $this->log->info(K::NAME, Foo::class);
        foreach ($xs as $i => $y) { $y->z(); }
        throw new \RuntimeException("x");
    }
    public static function make(): static { return new static(); }
    /** @return Foo|null */
    abstract protected function load($id);
    #[Test] public function works() { $f = fn (Foo $q) => $q->ok(); getenv('HOME'); }
}
enum Suit: string { case Hearts = 'H'; case Spades = 'S'; public function label(): string { return match($this) { self::Hearts => 'x' }; } }
interface Shape extends A, B { public function area(): float; }
trait LogsThings { private function log() {} }
"#;

#[test]
fn declarations_and_uses_of_php_are_found() {
    check_file("php", SOURCE, &expect_file!["./php.facts"]);
}
