package io.viaduct.testbed.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks the decisions of `bin/runtime.sh` about start caches.
class StartCacheTest {
  private static final Path RUNTIME =
      Path.of(System.getProperty("viaduct.root")).resolve("bin/runtime.sh");

  @TempDir private Path folder = Path.of("");
  private Path jar = Path.of("");
  private Path caches = Path.of("");

  @BeforeEach
  void program() throws IOException {
    jar = Files.writeString(folder.resolve("service.jar"), "classes");
    caches = folder.resolve("start");
  }

  /// Returns the JVM's options for a verb of the agent.
  private String options(String verb, String train) throws Exception {
    return options("cnapt-agent", verb, train);
  }

  private String options(String module, String verb, String train) throws Exception {
    var builder =
        new ProcessBuilder(
            "bash",
            "-euc",
            ". \"$0\"; runtime \"$4\" \"$1\" \"$2\" \"$3\"; echo \"${options[@]}\"",
            RUNTIME.toString(),
            jar.toString(),
            caches.toString(),
            verb,
            module);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("VIADUCT_TRAIN", train);
    builder.environment().remove("JAVA_OPTIONS");
    Process bash = builder.redirectErrorStream(true).start();
    String told = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(told).isZero();
    return told;
  }

  private List<Path> kept() throws IOException {
    try (Stream<Path> files = Files.list(caches)) {
      return files.toList();
    }
  }

  private Path cacheOf(String options) {
    String name = options.replaceFirst("(?s).*-XX:AOTCacheOutput=(\\S+).*", "$1");
    return Path.of(name);
  }

  @Test
  void theFirstRunOfABuildLearnsAndNoOther() throws Exception {
    assertThat(options("up", "")).contains("-XX:AOTCacheOutput=" + caches);
    assertThat(options("up", "")).doesNotContain("AOTCache");
  }

  @Test
  void aStartCacheIsUsedUntilTheProgramChanges() throws Exception {
    Path cache = cacheOf(options("up", ""));
    Files.writeString(cache, "learned");
    assertThat(options("up", "")).contains("-XX:AOTCache=" + cache);
    Files.writeString(jar, "other classes");
    assertThat(options("up", "")).contains("-XX:AOTCacheOutput=").doesNotContain(cache.toString());
    assertThat(kept()).as("what nothing uses any more is gone").doesNotContain(cache);
  }

  @Test
  void nothingIsLearnedWhereNobodyMayOrFromAnyOtherVerb() throws Exception {
    assertThat(options("up", "no")).doesNotContain("AOTCache");
    assertThat(options("check", "")).doesNotContain("AOTCache");
    assertThat(caches).doesNotExist();
  }

  @Test
  void aServiceThatCannotWriteThereStartsAsBefore() throws Exception {
    Files.writeString(caches, "a file where the directory should be");
    assertThat(options("up", "")).doesNotContain("AOTCache");
  }

  /// A native frame pins a virtual thread: two pinned requests stop a machine of two processors.
  @ParameterizedTest
  @ValueSource(strings = {"danum-billing", "ims-bridge", "webgui"})
  void servicesWithVirtualThreadsHaveNoNativeReflection(String module) throws Exception {
    assertThat(options(module, "run", "no")).doesNotContain("useNativeAccessorOnly");
    assertThat(options("run", "no")).contains("-Djdk.reflect.useNativeAccessorOnly=true");
  }
}
