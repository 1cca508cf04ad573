package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.viaduct.cnapt.naming.OutsideResolverProvider;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CnaptCommandTest {
  @TempDir Path folder;

  private final PrintStream realError = System.err;
  private final PrintStream realOutput = System.out;
  private final ByteArrayOutputStream error = new ByteArrayOutputStream();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @BeforeEach
  void listen() {
    System.setErr(new PrintStream(error));
    System.setOut(new PrintStream(output));
  }

  @AfterEach
  void stopListening() {
    System.setErr(realError);
    System.setOut(realOutput);
  }

  @Test
  void anAgentThatDoesNotRunIsUnavailable() {
    Path socket = folder.resolve("none.sock");
    assertThat(CnaptCommand.run("status", "--socket", socket.toString())).isEqualTo(69);
    assertThat(error.toString()).contains(socket.toString()).contains("not running");
  }

  @Test
  void aProgramIsRunOutsideOnlyIfAnAgentSaysWhere() {
    String socket = folder.resolve("none.sock").toString();
    assertThat(CnaptCommand.run("outside", "--socket", socket, "ls", "--pid", "1")).isEqualTo(69);
    assertThat(error.toString()).contains(socket).contains("not running");
    assertThat(CnaptCommand.run("outside", "--socket", socket, "--pid", "1")).isEqualTo(69);
    assertThat(CnaptCommand.run("outside", "--socket", socket)).isEqualTo(64);
    assertThat(CnaptCommand.run("outside", "--pid", "1", "ls")).isEqualTo(64);
    assertThat(error.toString()).contains("give either a program or --pid");
  }

  @Test
  void aBadConfigurationEndsWithItsOwnCodeAndOneLine() throws Exception {
    Path config = Files.writeString(folder.resolve("cnapt.yml"), "devicekey: x\n");
    assertThat(CnaptCommand.run("up", "--config", config.toString())).isEqualTo(78);
    assertThat(error.toString().lines()).hasSize(1);
    assertThat(CnaptCommand.run("check", "--config", config.toString())).isEqualTo(78);
  }

  @Test
  void aTrustFileThatIsNoAuthoritysIsRefusedByCheckAndUpInOneSentence() throws Exception {
    TestAuthority authority = new TestAuthority(folder.resolve("pki"));
    Path key = folder.resolve("device.pem");
    assertThat(CnaptCommand.run("keygen", key.toString())).isZero();
    Path config = folder.resolve("cnapt.yml");
    String text =
        "device-key: %s\ntrust: %s\nsnapt: {host: snapt-1.test}\ntoken-file: /run/viaduct/token\n"
            + "status-socket: %s/cnapt.sock\n";
    Files.writeString(config, text.formatted(key, authority.trust(), folder));
    assertThat(CnaptCommand.run("check", "--config", config.toString())).isZero();
    Path foreign = authority.issue("snapt-1").certificate();
    Files.writeString(config, text.formatted(key, foreign, folder));
    for (String verb : List.of("check", "up")) {
      error.reset();
      assertThat(CnaptCommand.run(verb, "--config", config.toString())).as(verb).isEqualTo(78);
      assertThat(error.toString())
          .hasLineCount(1)
          .contains("trust: " + foreign, "'snapt-1' is not an authority's", "basicConstraints");
    }
  }

  @Test
  void aPolicyThatCanNeverDecideIsRefusedByCheckAndUp() throws Exception {
    TestAuthority authority = new TestAuthority(folder.resolve("pki"));
    Path key = folder.resolve("device.pem");
    assertThat(CnaptCommand.run("keygen", key.toString())).isZero();
    Path config =
        Files.writeString(
            folder.resolve("cnapt.yml"),
            """
            device-key: %s
            trust: %s
            snapt: {host: snapt-1.test}
            token-file: token
            state: state
            status-socket: cnapt.sock
            policy: [{method: all}, {ports: [1], method: cost}]
            """
                .formatted(key, authority.trust()));
    for (String verb : List.of("check", "up")) {
      error.reset();
      assertThat(CnaptCommand.run(verb, "--config", config.toString())).as(verb).isEqualTo(78);
      assertThat(error.toString())
          .hasLineCount(1)
          .containsOnlyOnce("policy: line 2 (ports 1) can never decide");
    }
    OutsideResolverProvider.install(null); // a process would have ended
  }

  @Test
  void aMissingArgumentIsUsage() {
    assertThat(CnaptCommand.run("up")).isEqualTo(64);
    assertThat(CnaptCommand.run()).isEqualTo(64);
    assertThat(CnaptCommand.run("fly")).isEqualTo(64);
  }

  @ParameterizedTest
  @ValueSource(strings = {"up", "status", "outside", "check", "policy", "keygen"})
  void everyVerbExplainsItself(String verb) {
    assertThat(CnaptCommand.run(verb, "--help")).isZero();
    assertThat(output.toString()).contains("Usage: cnapt " + verb).contains("--help");
    assertThat(error.toString()).isEmpty();
  }

  @Test
  void keygenMakesAPrivateFileAndDoesNotReplaceAKey() throws Exception {
    Path key = folder.resolve("device.pem");
    assertThat(CnaptCommand.run("keygen", key.toString())).isZero();
    assertThat(Files.getPosixFilePermissions(key))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(output.toString()).matches("device: \"[A-Za-z0-9_-]{43}\" # .*\n");
    assertThat(CnaptCommand.run("keygen", key.toString())).isEqualTo(69);
    assertThat(CnaptCommand.run("keygen", "--out", key + ".other"))
        .as("the former form")
        .isEqualTo(64);
    assertThat(error.toString()).contains("exists already");
  }

  @Test
  void aSecondAgentIsToldOfTheFirstAndNotToDeleteItsDevice() throws Exception {
    Path socket = folder.resolve("cnapt.sock");
    OperationsEndpoint first =
        new OperationsEndpoint(new ProcessMetrics("cnapt", CnaptCommand.class), new Readiness());
    try {
      first.listen(socket, () -> Map.of("pid", 4711));
      assertThatIOException()
          .isThrownBy(() -> RunningAgent.refuseSecond(socket))
          .withMessageContaining("already running as process 4711")
          .withMessageContaining(socket.toString());
    } finally {
      first.close();
    }
    RunningAgent.refuseSecond(socket); // the socket has ended with its agent
    RunningAgent.refuseSecond(Files.createFile(folder.resolve("left-behind.sock")));
  }
}
