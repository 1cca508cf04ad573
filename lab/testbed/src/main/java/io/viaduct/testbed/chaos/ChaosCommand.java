package io.viaduct.testbed.chaos;

import io.viaduct.testbed.topology.Laboratory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `viaduct chaos`: faults at seeded points under load, and the bill of it. Exit code 1 with the
/// reason and the seed if a rule is broken.
@Command(name = "chaos", mixinStandardHelpOptions = true)
public final class ChaosCommand implements Callable<Integer> {
  @Option(names = "--minutes", description = "ends after this time (default: 10)")
  private int minutes = 10;

  @Option(names = "--points", description = "ends after this many points (default: the time only)")
  private int points = Integer.MAX_VALUE;

  @Option(names = "--seed", description = "of faults, times and lengths (default: 1)")
  private long seed = 1;

  @Option(
      names = "--transport",
      description =
          "of reports from the bridge to billing: grpc or kafka, which has faults of the broker too"
              + " (default: grpc)")
  private Transport transport = Transport.GRPC;

  @Option(
      names = "--resume",
      description = "goes on behind the last point of this seed whose bill was right")
  private boolean resume;

  @Option(names = "--root", hidden = true, required = true)
  private Path root = Path.of("");

  @Option(names = "--directory", hidden = true, required = true)
  private Path outer = Path.of("");

  @Override
  public Integer call() throws Exception {
    String name = transport == Transport.GRPC ? "seed-" : "kafka-seed-";
    Path kept = root.resolve("build/chaos/" + name + seed);
    Path lines = kept.resolve("points.log");
    int done = resume ? ChaosLog.lastBilled(lines) : 0;
    var log = new ChaosLog(System.out, lines, System::nanoTime);
    log.line("seed %d, from point %d; logs: %s", seed, done + 1, kept);
    Path directory = Laboratory.mountPrivate(outer);
    List<String> broken;
    try {
      broken = run(directory, log, done);
    } catch (IllegalStateException | CompletionException | IOException e) {
      broken = List.of(String.valueOf(e.getMessage()));
    } finally {
      Laboratory.keepLogs(directory, kept);
    }
    if (broken.isEmpty()) {
      log.line("nothing is lost beyond the bound, nothing is charged twice");
      return 0;
    }
    log.line("BROKEN with seed %d: %s", seed, String.join("; ", broken));
    return 1;
  }

  private List<String> run(Path directory, ChaosLog log, int done) throws Exception {
    var lab = new ChaosLab(root, directory, transport, log);
    lab.start();
    log.line("billing, bridge, two SNAPTs and two agents run; the load begins");
    long endNs = System.nanoTime() + Duration.ofMinutes(minutes).toNanos();
    ChaosPlan plan = new ChaosPlan(seed, Fault.of(transport));
    return new ChaosRun(lab, plan, log, System::nanoTime).pass(done, points, endNs);
  }
}
