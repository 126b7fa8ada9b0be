// Says where the calls of a Java tree lead, by javac itself: reads sites, writes the truth file's rows.
//
//   java --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED bench/calls/java/Calls.java \
//        ROOT SITES.csv FOLDER[,FOLDER...] CLASSPATH > truth.csv
//
// ROOT is the tree, SITES.csv what `calls sample` printed (path,line,column in bytes,name), the FOLDERs are the source roots
// that are compiled together, CLASSPATH holds their dependencies. What does not compile (a dependency that cannot be had, a
// generated class) is `none`.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.tree.JCTree;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.tools.*;

public class Calls {
    /** Sites by path, then by "line:column". */
    static final Map<String, Map<String, String>> sites = new TreeMap<>();
    /** Rows of the result by path, line and column. */
    static final Map<String, String> rows = new HashMap<>();

    static Path root;
    static Trees trees;
    static SourcePositions positions;
    static final Map<CompilationUnitTree, String> texts = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        root = Path.of(arguments[0]).toRealPath();
        List<String> lines = Files.readAllLines(Path.of(arguments[1]));
        for (String line : lines) {
            String[] fields = line.split(",");
            sites.computeIfAbsent(fields[0], path -> new HashMap<>()).put(fields[1] + ":" + fields[2], fields[3]);
        }
        analyse(arguments[2].split(","), arguments.length > 3 ? arguments[3] : "");
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.println("path,line,column,name,verdict,targets,reason");
        for (String line : lines) {
            String[] fields = line.split(",");
            String place = fields[0] + "," + fields[1] + "," + fields[2];
            out.println(place + "," + fields[3] + "," + rows.getOrDefault(place, "none,,"));
        }
    }

    static void analyse(String[] folders, String classpath) throws IOException {
        List<File> files = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> all = Files.walk(root.resolve(folder))) {
                all.filter(path -> path.toString().endsWith(".java"))
                        .filter(path -> !path.endsWith("module-info.java") && !path.endsWith("package-info.java"))
                        .sorted().forEach(path -> files.add(path.toFile()));
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        // Errors of one file must not stop the reading of the others.
        List<String> options = List.of("-proc:none", "-nowarn", "-Xmaxerrs", "0", "-classpath", classpath,
                "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW");
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        JavacTask task = (JavacTask) compiler.getTask(null, manager, problems, options, null,
                manager.getJavaFileObjectsFromFiles(files));
        trees = Trees.instance(task);
        positions = trees.getSourcePositions();
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        long errors = problems.getDiagnostics().stream().filter(d -> d.getKind() == Diagnostic.Kind.ERROR).count();
        System.err.println(units.size() + " files, " + errors + " errors");
        for (CompilationUnitTree unit : units) {
            Map<String, String> wanted = sites.get(path(unit));
            if (wanted != null) {
                new Visitor(unit, wanted).scan(unit, null);
            }
        }
    }

    static String path(CompilationUnitTree unit) {
        try {
            return root.relativize(Path.of(unit.getSourceFile().toUri()).toRealPath()).toString().replace('\\', '/');
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static String text(CompilationUnitTree unit) {
        return texts.computeIfAbsent(unit, key -> {
            try {
                return key.getSourceFile().getCharContent(true).toString();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        });
    }

    /** "line:column" of a character, both from 1, the column in bytes. */
    static String place(CompilationUnitTree unit, long at) {
        String text = text(unit);
        long line = unit.getLineMap().getLineNumber(at);
        String before = text.substring((int) unit.getLineMap().getStartPosition(line), (int) at);
        return line + ":" + (before.getBytes(StandardCharsets.UTF_8).length + 1);
    }

    static class Visitor extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final Map<String, String> wanted;

        Visitor(CompilationUnitTree unit, Map<String, String> wanted) {
            this.unit = unit;
            this.wanted = wanted;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
            answer(call.getMethodSelect(), new TreePath(getCurrentPath(), call.getMethodSelect()), null);
            return super.visitMethodInvocation(call, nothing);
        }

        @Override
        public Void visitNewClass(NewClassTree creation, Void nothing) {
            ExpressionTree type = creation.getIdentifier();
            TreePath path = new TreePath(getCurrentPath(), type);
            // The class of a body has a constructor of its own; what is named is the class before it.
            Element made = creation.getClassBody() == null ? trees.getElement(getCurrentPath()) : null;
            answer(type, path, made);
            return super.visitNewClass(creation, nothing);
        }

        void answer(Tree named, TreePath path, Element made) {
            while (named instanceof ParameterizedTypeTree || named instanceof AnnotatedTypeTree) {
                named = named instanceof ParameterizedTypeTree generic ? generic.getType()
                        : ((AnnotatedTypeTree) named).getUnderlyingType();
                path = new TreePath(path, named);
            }
            long at = positions.getStartPosition(unit, named);
            if (named instanceof MemberSelectTree select) {
                at = positions.getEndPosition(unit, named) - select.getIdentifier().length();
            }
            if (at < 0) {
                return;
            }
            String place = place(unit, at);
            if (wanted.containsKey(place)) {
                Element element = made != null ? made : trees.getElement(path);
                rows.put(path(unit) + "," + place.replace(':', ','), verdict(element));
            }
        }
    }

    static String verdict(Element element) {
        if (element == null || element.asType() == null || broken(element)) {
            return "none,,";
        }
        String target = declaration(element);
        // A constructor that nobody wrote stands where its class stands.
        if (target == null && element.getKind() == ElementKind.CONSTRUCTOR) {
            target = declaration(element.getEnclosingElement());
        }
        return target == null ? "external,," : "workspace," + target + ",";
    }

    static boolean broken(Element element) {
        for (Element e = element; e != null && e.getKind() != ElementKind.PACKAGE; e = e.getEnclosingElement()) {
            if (e.asType().getKind() == TypeKind.ERROR) {
                return true;
            }
        }
        return false;
    }

    /** path:line of the name in the declaration; null where it is not in the tree. */
    static String declaration(Element element) {
        TreePath path = trees.getPath(element);
        if (path == null) {
            return null;
        }
        CompilationUnitTree unit = path.getCompilationUnit();
        long at = ((JCTree) path.getLeaf()).pos;
        // The position of a class is that of its modifiers or its keyword: its name comes after.
        if (path.getLeaf() instanceof ClassTree type && !type.getSimpleName().isEmpty()) {
            ModifiersTree modifiers = type.getModifiers();
            long from = Math.max(positions.getEndPosition(unit, modifiers), positions.getStartPosition(unit, type));
            at = text(unit).indexOf(type.getSimpleName().toString(), (int) from);
        }
        // A class that a build generates lies outside the tree.
        boolean outside = at < 0 || path(unit).startsWith("..");
        return outside ? null : path(unit) + ":" + unit.getLineMap().getLineNumber(at);
    }
}
