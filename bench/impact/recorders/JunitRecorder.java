import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jacoco.agent.rt.RT;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataReader;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Records which JUnit 4 test executes which source line, as lcov records.
 *
 * <p>How to use, with the project's main and test classes compiled, and with JUnit,
 * org.jacoco.core (and its dependencies) and the agent's runtime jar
 * (org.jacoco.agent, classifier "runtime") on the class path:
 *
 * <pre>
 * javac -cp CLASS_PATH -d DIRECTORY JunitRecorder.java
 * java -javaagent:JACOCO_AGENT_JAR=output=none,includes=PACKAGE.* \
 *     -cp DIRECTORY:CLASS_PATH JunitRecorder CLASSES_DIRECTORY OUT.info TEST_CLASS...
 * </pre>
 *
 * Run it in the root of the tree; the source folders are taken to be src/main/java
 * and src/test/java. Keep standard input open: some tests run a server until it ends.
 * OUT.info is appended to, so that each test class can run in a
 * JVM of its own. It gets one record per passing test and source file:
 *
 * <pre>
 * TN:src/test/java/a/FooTest.java::methodName
 * SF:src/main/java/a/Foo.java
 * DA:LINE,1            (executed lines only)
 * end_of_record
 * </pre>
 *
 * Static initializers and what runs outside of a test (&#64;BeforeClass) are left out.
 * Classes that the test rewrites while loading them (PowerMock) can't be recorded.
 */
public final class JunitRecorder extends RunListener {

    private final Path classes;
    private final PrintWriter out;
    private final Set<String> failed = new HashSet<>();

    private JunitRecorder(Path classes, PrintWriter out) {
        this.classes = classes;
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: JunitRecorder CLASSES_DIRECTORY OUT.info TEST_CLASS...");
            System.exit(2);
        }
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Paths.get(args[1]),
                StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
            JUnitCore core = new JUnitCore();
            core.addListener(new JunitRecorder(Paths.get(args[0]), out));
            for (int i = 2; i < args.length; i++) {
                core.run(Class.forName(args[i]));
            }
        }
        System.exit(0); // servers started by the tests may still be running
    }

    @Override
    public void testStarted(Description test) {
        RT.getAgent().getExecutionData(true);
    }

    @Override
    public void testFailure(Failure failure) {
        failed.add(failure.getDescription().getDisplayName());
        System.err.println(failure.getDescription() + ": " + failure.getException());
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        testFailure(failure);
    }

    @Override
    public void testFinished(Description test) throws IOException {
        byte[] data = RT.getAgent().getExecutionData(true);
        if (!failed.contains(test.getDisplayName())) {
            write(nameOf(test), executedLines(data));
        }
    }

    /** The test's name without the parameters that runners append in brackets. */
    private static String nameOf(Description test) {
        String file = test.getClassName().replaceFirst("\\$.*", "").replace('.', '/') + ".java";
        return "src/test/java/" + file + "::" + test.getMethodName().replaceFirst("\\[.*", "");
    }

    private Map<String, SortedSet<Integer>> executedLines(byte[] data) throws IOException {
        ExecutionDataStore executed = new ExecutionDataStore();
        ExecutionDataReader reader = new ExecutionDataReader(new ByteArrayInputStream(data));
        reader.setExecutionDataVisitor(executed);
        reader.setSessionInfoVisitor(new SessionInfoStore());
        reader.read();

        CoverageBuilder coverage = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(executed, coverage);
        for (ExecutionData execution : executed.getContents()) {
            Path classFile = classes.resolve(execution.getName() + ".class");
            if (execution.hasHits() && Files.exists(classFile)) {
                analyzer.analyzeClass(Files.readAllBytes(classFile), execution.getName());
            }
        }
        Map<String, SortedSet<Integer>> lines = new TreeMap<>();
        for (IClassCoverage ofClass : coverage.getClasses()) {
            String file = "src/main/java/" + ofClass.getPackageName() + "/" + ofClass.getSourceFileName();
            for (IMethodCoverage method : ofClass.getMethods()) {
                addExecutedLines(method, lines.computeIfAbsent(file, key -> new TreeSet<>()));
            }
        }
        return lines;
    }

    private static void addExecutedLines(IMethodCoverage method, Set<Integer> lines) {
        if (method.getName().equals("<clinit>")) {
            return;
        }
        for (int line = method.getFirstLine(); line <= method.getLastLine(); line++) {
            int status = method.getLine(line).getStatus();
            if (status == ICounter.FULLY_COVERED || status == ICounter.PARTLY_COVERED) {
                lines.add(line);
            }
        }
    }

    private void write(String test, Map<String, SortedSet<Integer>> linesOfFile) {
        linesOfFile.forEach((file, lines) -> {
            if (!lines.isEmpty()) {
                out.print("TN:" + test + "\nSF:" + file + "\n");
                lines.forEach(line -> out.print("DA:" + line + ",1\n"));
                out.print("end_of_record\n");
            }
        });
        out.flush();
    }
}
