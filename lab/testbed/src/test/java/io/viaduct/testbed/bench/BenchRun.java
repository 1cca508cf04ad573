package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `./viaduct bench` as a person runs it: real processes, real TCP.
public final class BenchRun {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final int PATIENCE_SECONDS = 300; // for slow machines and the suite's own load
  private static final List<Integer> IMPOSSIBLE_HERE = List.of(69, 77); // bin/laboratory.sh

  private BenchRun() {}

  /// Runs a benchmark to its end; its output is kept in `target/`.
  ///
  /// @param folder receives the report
  /// @return the JSON file
  public static JsonNode of(String name, Path folder, String... options) throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    Path log = Path.of("target", "bench-" + name + ".log");
    var words = new ArrayList<>(List.of(ROOT.resolve("viaduct").toString(), "bench", name));
    words.addAll(List.of(options));
    words.add("--output=" + folder);
    var builder = new ProcessBuilder(words);
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    Process bench = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      bench.getOutputStream().close();
      assertThat(bench.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("ends, see " + log).isTrue();
    } finally {
      bench.destroy();
    }
    String told = Files.readString(log);
    assumeTrue(!IMPOSSIBLE_HERE.contains(bench.exitValue()), told);
    assertThat(bench.exitValue()).as(told).isZero();
    return JsonMapper.shared().readTree(Files.readString(folder.resolve(name + ".json")));
  }
}
