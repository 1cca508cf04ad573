package io.viaduct.testbed.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Checks the rules of docs/adr/0001 over the classes of all modules, read from their
/// `target/classes`.
class ArchitectureTest {
  /// Root package of each running module, and of the setup program.
  private static final Map<String, String> RUNNING =
      Map.of(
          "cnapt-agent", "io.viaduct.cnapt..",
          "snapt-server", "io.viaduct.snapt..",
          "ims-bridge", "io.viaduct.bridge..",
          "danum-billing", "io.viaduct.billing..",
          "webgui", "io.viaduct.webgui..",
          "setup", "io.viaduct.setup..",
          "denarii", "io.viaduct.denarii..");

  private static final List<String> SHARED =
      List.of(
          "tunnel-protocol",
          "usage-protocol",
          "service-host",
          "spring-host",
          "linux-io",
          "sip-stack",
          "diameter",
          "radius",
          "testbed");

  private static final Set<String> BAGS =
      Set.of("util", "utils", "common", "manager", "impl", "helper", "helpers", "internal");

  private static JavaClasses all = new ClassFileImporter().importClasses(List.of());

  @BeforeAll
  static void readClasses() {
    Path root = Path.of(System.getProperty("viaduct.root"));
    List<Path> classes =
        modules().stream().map(name -> folder(root, name).resolve("target/classes")).toList();
    assertThat(classes).allSatisfy(path -> assertThat(path).as("build it first").isDirectory());
    all = new ClassFileImporter().importPaths(classes);
  }

  private static List<String> modules() {
    return Stream.concat(SHARED.stream(), RUNNING.keySet().stream()).toList();
  }

  private static Path folder(Path root, String module) {
    return Stream.of("", "libs", "lab")
        .map(group -> root.resolve(group).resolve(module))
        .filter(Files::isDirectory)
        .findFirst()
        .orElseThrow();
  }

  private static JavaClasses module(String name) {
    return all.that(
        describe(
            "of " + name,
            type ->
                type.getSource()
                    .filter(source -> source.getUri().getPath().contains("/" + name + "/target/"))
                    .isPresent()));
  }

  @Test
  void runningModulesNeverDependOnEachOther() {
    RUNNING.forEach((module, own) -> {
      String[] others =
          RUNNING.values().stream().filter(other -> !other.equals(own)).toArray(String[]::new);
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(others)
          .as(module + " must not know the other running modules")
          .check(module(module));
    });
  }

  @Test
  void sharedModulesNeverDependOnARunningOne() {
    for (String module : SHARED) {
      // The laboratory makes its certificates as an operator does: with setup.
      String[] running =
          RUNNING.values().stream()
              .filter(own -> !(module.equals("testbed") && own.equals(RUNNING.get("setup"))))
              .toArray(String[]::new);
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(running)
          .as(module + " must not know a running module")
          .check(module(module));
    }
  }

  @Test
  void eachModuleKeepsToItsOwnRootPackage() {
    RUNNING.forEach((module, own) ->
        noClasses()
            .should()
            .resideOutsideOfPackage(own)
            .as(module + " lives in " + own)
            .check(module(module)));
  }

  @Test
  void packagesFormNoCycle() {
    for (String module : modules()) {
      slices()
          .matching("io.viaduct.(**)")
          .should()
          .beFreeOfCycles()
          .as("the packages of " + module + " form no cycle")
          .check(module(module));
    }
  }

  @Test
  void processesWithoutSpringHaveNoSpring() {
    for (String module :
        List.of("cnapt-agent", "snapt-server", "service-host", "setup", "denarii")) {
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.springframework..", "io.viaduct.spring..")
          .as(module + " starts without Spring")
          .check(module(module));
    }
  }

  @Test
  void everyStageAtWhichTheCompilerIsToldToCutExists() throws IOException {
    Path runtime = Path.of(System.getProperty("viaduct.root")).resolve("bin/runtime.sh");
    List<String> stages =
        Pattern.compile("io\\.viaduct\\.[\\w.]+::\\w+")
            .matcher(Files.readString(runtime))
            .results()
            .map(MatchResult::group)
            .toList();
    assertThat(stages)
        .isNotEmpty()
        .allSatisfy(stage -> {
          String[] parts = stage.split("::");
          assertThat(all.get(parts[0]).getMethods())
              .as(stage)
              .anyMatch(method -> method.getName().equals(parts[1]));
        });
  }

  @Test
  void theTunnelsCoreNeedsOnlyTheJdkBuffersCompressionAndProtobuf() {
    noClasses()
        .should()
        .dependOnClassesThat(
            describe(
                "are neither JDK, Netty buffers, LZ4, protobuf nor its own",
                other ->
                    !resideInAnyPackage(
                            "io.viaduct.tunnel..",
                            "java..",
                            "javax.crypto..",
                            "io.netty.buffer..",
                            "io.netty.util..",
                            "net.jpountz..",
                            "com.github.luben..",
                            "com.google.protobuf..",
                            "org.jspecify..",
                            "")
                        .test(other)))
        .check(module("tunnel-protocol"));
  }

  @Test
  void theTunnelsCoreReadsNoClockAndStartsNoThread() {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Thread.class, "start")
        .check(module("tunnel-protocol"));
  }

  @Test
  void jainSipIsSeenOnlyInsideTheSipStack() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.viaduct.sip..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("javax.sip..", "gov.nist..")
        .check(all);
  }

  @Test
  void packagesAreNamedByTheFieldAndNotAsBags() {
    Set<String> bags =
        all.stream()
            .map(JavaClass::getPackageName)
            .filter(name -> java.util.Arrays.stream(name.split("\\.")).anyMatch(BAGS::contains))
            .collect(Collectors.toSet());
    assertThat(bags).isEmpty();
  }

  @Test
  void classesAreNotNamedAsBagsEither() {
    List<String> bags =
        all.stream()
            .filter(type -> type.getPackageName().startsWith("io.viaduct"))
            .map(JavaClass::getSimpleName)
            .filter(name -> name.matches("Default[A-Z].*|.*(Utils?|Helper|Manager|Impl)"))
            .toList();
    assertThat(bags).isEmpty();
  }
}
