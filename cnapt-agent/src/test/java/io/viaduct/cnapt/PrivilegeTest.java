package io.viaduct.cnapt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.service.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests an agent process without the privilege that it needs. `/dev/net/tun` is accessible to
/// everybody, as in most distributions.
class PrivilegeTest {
  // A user namespace without a mapping: the process is user 65534 without capabilities, but can
  // access the files of the present user.
  private static final List<String> NOBODY = List.of("unshare", "--user");
  private static final List<String> NO_NET_ADMIN =
      List.of("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin");

  @TempDir Path folder;

  @Test
  void anOrdinaryUserIsToldInOneSentence() throws Exception {
    endsWithOneSentence(NOBODY);
  }

  @Test
  void rootWithoutCapNetAdminIsToldInOneSentence() throws Exception {
    endsWithOneSentence(NO_NET_ADMIN);
  }

  private void endsWithOneSentence(List<String> without) throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    assumeTrue(ends(without), String.join(" ", without) + " is not possible here");
    Path key = folder.resolve("device.pem");
    assertThat(CnaptCommand.run("keygen", key.toString())).isZero();
    Path config =
        Files.writeString(
            folder.resolve("cnapt.yml"),
            """
            device-key: %1$s
            trust: %2$s
            snapt: {host: 192.0.2.1}
            token-file: %3$s/token
            state: %3$s/state
            status-socket: %3$s/cnapt.sock
            tun: {name: viaduct-test}
            operations: {port: 0}
            """
                .formatted(key, new TestAuthority(folder.resolve("pki")).trust(), folder));
    List<String> line = new ArrayList<>(without);
    line.addAll(
        List.of(
            ProcessHandle.current().info().command().orElseThrow(),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            CnaptCommand.class.getName(),
            "up",
            "--config",
            config.toString()));
    Process process = new ProcessBuilder(line).start();
    String error = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(error).isEqualTo(77);
    assertThat(error)
        .hasLineCount(1)
        .startsWith("cnapt: TUN device 'viaduct-test'")
        .contains("CAP_NET_ADMIN")
        .doesNotContain("null", "Exception");
  }

  private static boolean ends(List<String> without) throws Exception {
    List<String> line = new ArrayList<>(without);
    line.add("true");
    try {
      return new ProcessBuilder(line).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException _) {
      return false; // not installed
    }
  }
}
