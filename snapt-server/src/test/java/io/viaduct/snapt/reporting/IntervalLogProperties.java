package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Compares the log with a plain map, over appends, closings, compactions, crashes and cuts.
class IntervalLogProperties {
  private static final int SESSIONS = 4;
  private final ReportSigner signer = new ReportSigner("report", Ed25519.generate().getPrivate());

  /// The state after a crash: bytes by flow of each open interval.
  private record Moment(long fileBytes, Map<ReportIdentity, Map<Integer, Long>> open) {}

  @Property(tries = 60)
  void whatIsRecoveredIsWhatAMapHoldsUpToTheCut(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Path folder = Files.createTempDirectory("interval-log");
    try {
      IntervalLog log = IntervalLog.open(folder.resolve("log"), 200 + random.nextInt(4_000));
      log.recover(ReportSpool.open(folder.resolve("spool"), 1_000), signer);
      Map<ReportIdentity, Map<Integer, Long>> oracle = new HashMap<>();
      List<Moment> moments = new ArrayList<>();
      long[] sequences = new long[SESSIONS];
      long compactions = 0;
      moments.add(new Moment(log.bytes(), Map.of()));
      for (int i = 0; i < 200; i++) {
        act(random, log, oracle, sequences);
        if (log.compactions().sum() != compactions) {
          compactions = log.compactions().sum();
          moments.clear(); // the records before are complete, or the older file is used
        }
        moments.add(new Moment(log.bytes(), copy(oracle)));
      }
      log.close();
      Path newest = newest(folder.resolve("log"));
      long from = moments.getFirst().fileBytes();
      long cut = from + random.nextLong(Files.size(newest) - from + 1);
      Files.write(newest, java.util.Arrays.copyOf(Files.readAllBytes(newest), (int) cut));
      Moment expected =
          moments.stream().filter(moment -> moment.fileBytes() <= cut).reduce((_, b) -> b).get();
      assertThat(recovered(folder)).as("seed %d", seed).isEqualTo(expected.open());
      assertThat(recovered(folder)).as("seed %d, again", seed).isEqualTo(expected.open());
    } finally {
      delete(folder);
    }
  }

  private static void act(
      SplittableRandom random,
      IntervalLog log,
      Map<ReportIdentity, Map<Integer, Long>> oracle,
      long[] sequences)
      throws IOException {
    int session = random.nextInt(SESSIONS);
    UUID id = new UUID(9, session);
    switch (random.nextInt(10)) {
      case 0 -> sequences[session]++; // the older interval waits for the spool
      case 1 -> {
        Optional<ReportIdentity> any = oracle.keySet().stream().min(Comparator.naturalOrder());
        if (any.isPresent()) {
          oracle.remove(any.get());
          log.closed(any.get());
        }
      }
      case 2 -> log.force();
      default -> {
        // One record per append: a cut inside a batch keeps its first records.
        List<FlowUsage> lines = new ArrayList<>();
        UsageReport bare = IntervalLogTest.report(id, sequences[session]);
        Map<Integer, Long> of =
            oracle.computeIfAbsent(ReportIdentity.of(bare), _ -> new HashMap<>());
        for (int flow = 0; flow < 3; flow++) {
          if (random.nextBoolean()) {
            long bytes = random.nextInt(1_000_000);
            of.put(flow, bytes);
            lines.add(IntervalLogTest.line(flow, bytes));
          }
        }
        log.append(TestUsage.list(bare.toBuilder().addAllFlows(lines).build()));
      }
    }
  }

  private Map<ReportIdentity, Map<Integer, Long>> recovered(Path folder) throws IOException {
    ReportSpool spool = ReportSpool.open(folder.resolve("spool"), 1_000);
    IntervalLog log = IntervalLog.open(folder.resolve("log"), 1_000);
    log.recover(spool, signer);
    log.close();
    Map<ReportIdentity, Map<Integer, Long>> found = new HashMap<>();
    Optional<ReportIdentity> next = spool.next(Optional.empty());
    while (next.isPresent()) {
      UsageReport report = UsageReport.parseFrom(spool.read(next.get()).getReport());
      Map<Integer, Long> lines = new HashMap<>();
      report.getFlowsList().forEach(l -> lines.put(l.getFlow(), l.getUp().getPreBytes()));
      assertThat(report.getPreBytes())
          .isEqualTo(lines.values().stream().mapToLong(Long::longValue).sum());
      found.put(next.get(), lines);
      next = spool.next(next);
    }
    return found;
  }

  private static Map<ReportIdentity, Map<Integer, Long>> copy(
      Map<ReportIdentity, Map<Integer, Long>> of) {
    Map<ReportIdentity, Map<Integer, Long>> copy = new HashMap<>();
    of.forEach((identity, lines) -> copy.put(identity, new HashMap<>(lines)));
    return copy;
  }

  private static Path newest(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files
          .max(
              Comparator.comparingLong(
                  file -> Long.parseLong(file.getFileName().toString().replace(".log", ""))))
          .orElseThrow();
    }
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
