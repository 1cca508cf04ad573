package io.viaduct.cnapt.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// Runs `docs/examples/dscp-by-class.sh` in a network namespace of its own, with the kernel's
/// rules.
class DscpExampleTest {
  private static final Path SCRIPT =
      Path.of(System.getProperty("viaduct.root", "..")).resolve("docs/examples/dscp-by-class.sh");
  private static final String[] UNSHARE = {"unshare", "--user", "--map-root-user", "--net"};

  @Test
  void theExampleMarksEachFlowByItsClassUntilItEndsAlsoWhenItMoves() throws Exception {
    assumeTrue(succeeds("nft", "list", "tables"), "no nft in a namespace of the user here");
    Process reader =
        new ProcessBuilder(command("bash", "-c", probe())).redirectErrorStream(true).start();
    try (Writer events = reader.outputWriter(StandardCharsets.UTF_8);
        BufferedReader said =
            new BufferedReader(
                new InputStreamReader(reader.getInputStream(), StandardCharsets.UTF_8))) {
      send(events, flow(1, 17, "198.51.100.9", 5004, "HT_LD"));
      send(events, flow(2, 6, "2001:db8::9", 443, "HT_HD"));
      send(events, "{\"event\":\"class\",\"id\":2,\"serviceClass\":\"LT_HD\"}");
      awaitRules(
          events,
          said,
          rules ->
              rules.contains("17 . 40000 . 198.51.100.9 . 5004 : jump low_delay")
                  && rules.contains("6 . 40000 . 2001:db8::9 . 443 : jump low_throughput"));
      send(events, "{\"event\":\"moved\",\"id\":1,\"snapt\":\"snapt-2\"}");
      send(events, flow(3, 17, "198.51.100.9", 5004, "LT_HD")); // the same ports again
      send(events, end(1));
      awaitRules(
          events,
          said,
          rules ->
              rules.contains("17 . 40000 . 198.51.100.9 . 5004 : jump low_throughput")
                  && rules.contains("2001:db8::9"));
      send(events, end(3));
      awaitRules(
          events, said, rules -> !rules.contains("198.51.100.9") && rules.contains("2001:db8::9"));
    }
    await().atMost(Duration.ofSeconds(20)).until(() -> !reader.isAlive());
    assertThat(reader.exitValue()).isZero();
  }

  private static void awaitRules(Writer events, BufferedReader said, Predicate<String> wanted) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              send(events, "LIST");
              return until(said, "LISTED");
            },
            wanted);
  }

  /// Passes the lines on to the script, and lists the rules where a line says so.
  private static String probe() {
    return """
    while read -r line; do
      if [ "$line" = LIST ]; then
        nft -n list table inet viaduct_dscp >&2
        echo LISTED >&2
      else
        printf '%%s\\n' "$line"
      fi
    done | bash '%s'
    """
        .formatted(SCRIPT.toAbsolutePath());
  }

  private static String flow(int id, int protocol, String remote, int port, String serviceClass) {
    return """
    {"event":"flow","id":%d,"protocol":%d,"localPort":40000,"remote":"%s","remotePort":%d,"serviceClass":"%s"}\
    """
        .formatted(id, protocol, remote, port, serviceClass);
  }

  private static String end(int id) {
    return "{\"event\":\"end\",\"id\":%d,\"serviceClass\":\"HT_LD\"}".formatted(id);
  }

  private static void send(Writer to, String line) throws IOException {
    to.write(line + "\n");
    to.flush();
  }

  private static String until(BufferedReader said, String end) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String line = said.readLine(); line != null && !line.equals(end); line = said.readLine()) {
      text.append(line).append('\n');
    }
    return text.toString();
  }

  private static String[] command(String... words) {
    String[] all = new String[UNSHARE.length + words.length];
    System.arraycopy(UNSHARE, 0, all, 0, UNSHARE.length);
    System.arraycopy(words, 0, all, UNSHARE.length, words.length);
    return all;
  }

  private static boolean succeeds(String... words) throws InterruptedException {
    try {
      return new ProcessBuilder(command(words)).start().waitFor() == 0;
    } catch (IOException _) {
      return false;
    }
  }
}
