package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserAgentCommandTest {
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

  @ParameterizedTest
  @ValueSource(strings = {"register", "listen", "message"})
  void everyVerbExplainsItself(String verb) {
    assertThat(UserAgentCommand.run(verb, "--help")).isZero();
    assertThat(output.toString()).contains("Usage: user-agent " + verb);
  }

  @Test
  void aMissingArgumentIsUsage() {
    assertThat(UserAgentCommand.run("register")).isEqualTo(64);
    assertThat(UserAgentCommand.run("fly")).isEqualTo(64);
  }

  @Test
  void aPasswordFileThatOthersMayReadIsRefusedInOneLine() throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "sesame");
    Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-r--r--"));
    int code =
        UserAgentCommand.run(
            "register",
            "--domain=ims.test",
            "--user=alice",
            "--password-file=" + password,
            "--registrar=127.0.0.1:1");
    assertThat(code).isEqualTo(64); // a wrong value of an option is a usage error
    assertThat(error.toString().lines()).hasSize(1);
    assertThat(error.toString()).startsWith("user-agent: ").doesNotContain("sesame");
  }
}
