package io.viaduct.testbed.lab;

import io.viaduct.testbed.trace.Journey;
import io.viaduct.testbed.trace.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Commands that replay traces.
final class ReplayCommands {
  private ReplayCommands() {}

  /// `replay`.
  @Command(
      name = "replay",
      description = "replay a trace: replay train --speed 10, replay my.csv --background")
  static final class Start implements Callable<Integer> {
    private final LabSession session;

    @Option(
        names = "--speed",
        description = "times as fast as the trace (default ${DEFAULT-VALUE})")
    private double speed = 1;

    @Option(names = "--background", description = "go on at once; stop ends the replay")
    private boolean background;

    @Parameters(index = "0", paramLabel = "walk|train|FILE")
    private String source = "";

    Start(LabSession session) {
      this.session = session;
    }

    @Override
    public Integer call() throws Exception {
      var replay = new Replay(session, Trace.parse(source, lines()), speed);
      session.start(replay);
      if (!background) {
        replay.await();
      }
      return 0;
    }

    private List<String> lines() throws IOException {
      for (Journey journey : Journey.values()) {
        if (journey.title().equals(source)) {
          return journey.shipped().lines().toList();
        }
      }
      Path file = Path.of(source);
      if (!Files.isReadable(file)) {
        throw new IllegalArgumentException(
            "'%s' is no readable file and no shipped trace; there is: %s"
                .formatted(
                    source,
                    String.join(
                        ", ", Arrays.stream(Journey.values()).map(Journey::title).toList())));
      }
      return Files.readAllLines(file);
    }
  }

  /// `stop`.
  @Command(name = "stop", description = "stop the replay; the links keep their weather")
  static final class Stop implements Callable<Integer> {
    private final LabSession session;

    Stop(LabSession session) {
      this.session = session;
    }

    @Override
    public Integer call() throws InterruptedException {
      session.stopReplay();
      return 0;
    }
  }
}
