package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.HistoryEvent;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.wire.Verdict;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnaptMetricsTest {
  @Test
  void eachEventOfHistoriesIsTheSumOverTheLoops() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (HistoryMemory one = new HistoryMemory(BackgroundWork.INLINE, () -> 0, 1 << 20);
        HistoryMemory other = new HistoryMemory(BackgroundWork.INLINE, () -> 0, 1 << 20)) {
      new SnaptMetrics(registry).histories(List.of(one, other));
      for (HistoryEvent event : HistoryEvent.values()) {
        one.events()[event.ordinal()] = 100 * event.ordinal();
        other.events()[event.ordinal()] = event.ordinal();
      }
      for (HistoryEvent event : HistoryEvent.values()) {
        String label = MetricLabel.of(event);
        assertThat(
                registry
                    .get("viaduct_history_events")
                    .tag("event", label)
                    .functionCounter()
                    .count())
            .as(label)
            .isEqualTo(101 * event.ordinal());
      }
      assertThat(registry.get("viaduct_history_bytes").gauge().value()).isZero();
    }
  }

  @Test
  void hostileDatagramsAreCountedAfterAGarbageCollectionAsTheStatusSays(@TempDir Path folder)
      throws Exception {
    int datagrams = 50;
    try (TestSnapt snapt =
            new TestSnapt(
                new TestOperator(folder.resolve("pki")), folder, 2, Duration.ofSeconds(30));
        ProcessMetrics metrics = new ProcessMetrics("snapt", Snapt.class);
        DatagramSocket stranger = new DatagramSocket()) {
      new SnaptMetrics(metrics.registry()).traffic(snapt.relay.counters());
      byte[] garbage = new byte[100];
      for (int i = 0; i < datagrams; i++) {
        stranger.send(new DatagramPacket(garbage, garbage.length, snapt.dataAddress));
      }
      await().until(() -> snapt.count(Verdict.UNKNOWN_RECEIVER) == datagrams);

      String scraped = MetricNames.afterCollection(metrics);

      SnaptStatusSource status = status(snapt, folder);
      assertThat(status.document().refused()).containsEntry("unknown_receiver", (long) datagrams);
      status
          .document()
          .refused()
          .forEach((verdict, count) ->
              assertThat(
                      MetricNames.value(
                          scraped,
                          "viaduct_tunnel_verdicts_total{subject=\"datagram\",verdict=\""
                              + verdict
                              + "\"}"))
                  .as(verdict)
                  .isEqualTo((double) count));
    }
  }

  private static SnaptStatusSource status(TestSnapt snapt, Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("snapt.yml"),
            """
            id: snapt-1
            tls: {certificate: c.pem, private-key: k.pem, trust: t.pem}
            reporting: {bridge-host: localhost, report-key: report.pem}
            """);
    return new SnaptStatusSource(
        ConfigurationFile.load(file, SnaptConfiguration.class),
        7,
        InstantSource.system(),
        snapt.registry,
        snapt.reporting,
        snapt.relay,
        snapt.control,
        snapt.controlAddress.getPort(),
        snapt.dataAddress.getPort());
  }
}
