package io.viaduct.webgui;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebguiCommandTest {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void bridgeToken() throws IOException {
    Path token = Files.writeString(directory.resolve("bridge.token"), "do-not-show-me");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void checkPrintsTheEffectiveConfigurationWithoutSecrets() throws IOException {
    assertThat(run("check", "http: {port: 8123}")).isZero();
    assertThat(out.toString())
        .contains("port: 8123", "charges-per-page: 25", "token-file: ")
        .doesNotContain("do-not-show-me");
  }

  @Test
  void theOutputOfCheckIsAValidConfiguration() throws IOException {
    assertThat(run("check", "http: {port: 8123}")).isZero();
    String printed = out.toString();
    Path again = Files.writeString(directory.resolve("again.yml"), printed);
    out.getBuffer().setLength(0);
    assertThat(
            WebguiCommand.execute(
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                "check",
                "--config",
                again.toString()))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).isEqualTo(printed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "htpp: {port: 1}                  | unknown key 'htpp'",
        "http: {port: 70000}              | 70000",
        "http: {port: eighty}             | http.port",
        "billing: {url: ftp://x}          | ftp://x",
        "bridge: {url: 'http://a:b@c/'}   | url must have no user",
        "limits: {streams: 0}             | streams must be 1..100000, got 0",
        "limits: {charges-per-page: 9999} | charges-per-page must be 1..200, got 9999",
        "limits: {peer-timeout: 1h}       | peer-timeout",
        "limits: {peer-timeout: 5}        | peer-timeout",
        "logging: {format: xml}           | format",
        "bridge: {token-file: /nowhere}   | /nowhere"
      })
  void badConfigurationIsOneLineAndExitCode78(String wrong, String named) throws IOException {
    for (String verb : new String[] {"check", "run"}) {
      assertThat(run(verb, wrong)).isEqualTo(78);
      assertThat(err.toString().strip().lines()).hasSize(1);
      assertThat(err.toString()).contains("webgui.yml", named).doesNotContain("do-not-show-me");
      err.getBuffer().setLength(0);
    }
  }

  @Test
  void missingOptionIsAUsageError() {
    assertThat(WebguiCommand.execute(new PrintWriter(out, true), new PrintWriter(err, true), "run"))
        .isEqualTo(64);
    assertThat(err.toString()).contains("--config");
  }

  @Test
  void takenPortIsUnavailableAndNamed() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(run("run", "http: {port: " + taken.getLocalPort() + "}")).isEqualTo(69);
      assertThat(err.toString())
          .contains("http.port", "127.0.0.1:" + taken.getLocalPort(), "address already in use")
          .hasLineCount(1);
      err.getBuffer().setLength(0);
      assertThat(run("run", "http: {port: 0}", taken.getLocalPort())).isEqualTo(69);
      assertThat(err.toString())
          .contains("operations.port", "127.0.0.1:" + taken.getLocalPort())
          .hasLineCount(1);
    }
  }

  private int run(String verb, String over) throws IOException {
    return run(verb, over, 0);
  }

  private int run(String verb, String over, int operationsPort) throws IOException {
    // A later key of the same name would be refused as a duplicate: keep only what is not
    // overridden.
    StringBuilder yaml = new StringBuilder(over.strip()).append('\n');
    String token = directory.resolve("bridge.token").toString();
    yaml.append(over.startsWith("billing") ? "" : "billing: {url: 'http://127.0.0.1:1'}\n");
    yaml.append("operations: {port: %d}\n".formatted(operationsPort));
    String bridge =
        over.startsWith("bridge: {url")
            ? over.strip().replace("}", ", token-file: '" + token + "'}")
            : over.startsWith("bridge")
                ? over.strip().replace("{", "{url: 'http://127.0.0.1:1', ")
                : "bridge: {url: 'http://127.0.0.1:1', token-file: '" + token + "'}";
    String text =
        over.startsWith("bridge") ? yaml.substring(yaml.indexOf("\n") + 1) : yaml.toString();
    Path file = Files.writeString(directory.resolve("webgui.yml"), text + bridge + "\n");
    return WebguiCommand.execute(
        new PrintWriter(out, true), new PrintWriter(err, true), verb, "--config", file.toString());
  }
}
