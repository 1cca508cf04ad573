package io.viaduct.testbed.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Commands that run programs, and wait.
final class ProgramCommands {
  private ProgramCommands() {}

  /// `exec`.
  @Command(
      name = "exec",
      description = "run a program in a namespace: exec device ping -c 3 203.0.113.80")
  static final class Exec implements Callable<Integer> {
    private final LabSession session;

    @Option(
        names = "--background",
        description = "go on at once; the program ends with the laboratory")
    private boolean background;

    @Parameters(index = "0", paramLabel = "NAMESPACE")
    private String namespace = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PROGRAM")
    private List<String> command = new ArrayList<>();

    Exec(LabSession session) {
      this.session = session;
    }

    @Override
    public Integer call() throws Exception {
      int status = session.execute(namespace, command, background);
      if (status != 0) {
        throw new IllegalStateException(
            "'%s' ended with exit code %d".formatted(String.join(" ", command), status));
      }
      return 0;
    }
  }

  /// `wait`.
  @Command(name = "wait", description = "wait some seconds, in a script: wait 2.5")
  static final class Wait implements Runnable {
    @Parameters(index = "0", paramLabel = "SECONDS")
    private double seconds;

    @Override
    public void run() {
      if (!(seconds >= 0 && seconds <= 86_400)) {
        throw new IllegalArgumentException(
            "wait is %s: it must be from 0 to 86400 seconds".formatted(seconds));
      }
      try {
        Thread.sleep(Duration.ofNanos((long) (seconds * 1e9)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
