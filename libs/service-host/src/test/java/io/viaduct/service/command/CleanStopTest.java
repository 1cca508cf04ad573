package io.viaduct.service.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CleanStopTest {
  /// The service runs in its own process, because only a process can receive a real signal.
  static final class Program {
    public static void main(String[] arguments) {
      try {
        CleanStop.serve(
            () -> System.out.println("closed"),
            () -> {
              System.out.println("starting");
              if (arguments[0].equals("fails")) {
                throw new IOException("no socket");
              } else if (arguments[0].equals("hangs")) {
                new CountDownLatch(1).await();
              }
            });
      } catch (Exception e) {
        System.out.println(e.getMessage());
        System.exit(ExitCode.UNAVAILABLE);
      }
    }
  }

  private static Process start(String manner) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            manner)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @ParameterizedTest
  @ValueSource(strings = {"serves", "hangs"})
  void aSignalClosesTheServiceAndEndsWithZeroEvenWhileItStarts(String manner) throws Exception {
    Process process = start(manner);
    var out = process.inputReader();
    assertThat(out.readLine()).isEqualTo("starting");
    process.toHandle().destroy(); // SIGTERM, and the pipes stay open
    assertThat(out.readLine()).isEqualTo("closed");
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  @Test
  void aFailedStartClosesWhatWasStartedAndKeepsItsExitCode() throws Exception {
    Process process = start("fails");
    assertThat(process.inputReader().lines()).containsExactly("starting", "closed", "no socket");
    assertThat(process.waitFor()).isEqualTo(ExitCode.UNAVAILABLE);
  }
}
