package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.snapt.ConnectedDevice;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.tunnel.wire.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Probes of many devices at once, over real sockets of one loop.
class ManyProbesTest {
  private static final int DEVICES = 4;
  private static final int EACH = 50;
  private static final int ROUNDS = 20;

  @TempDir Path folder;

  @Test
  void everyProbeOfEveryDeviceIsAnsweredToThatDevice() throws Exception {
    TestOperator operator = new TestOperator(folder.resolve("pki"));
    List<ConnectedDevice> devices = new ArrayList<>();
    try (TestSnapt snapt = new TestSnapt(operator, folder, 1, Duration.ofSeconds(30))) {
      for (int i = 0; i < DEVICES; i++) {
        devices.add(new ConnectedDevice(snapt, operator, "user" + i));
      }
      for (int round = 1; round <= ROUNDS; round++) {
        long expected = (long) round * EACH;
        devices.forEach(device -> device.tunnel.probes(EACH));
        for (ConnectedDevice device : devices) {
          await().until(() -> device.tunnel.accepted() >= expected);
        }
      }
      for (ConnectedDevice device : devices) {
        assertThat(device.tunnel.refused()).as("answers of other devices").isZero();
      }
      await()
          .untilAsserted(() ->
              assertThat(snapt.count(Verdict.ACCEPTED))
                  .isGreaterThanOrEqualTo((long) DEVICES * EACH * ROUNDS));
      assertThat(snapt.count(Verdict.PATH_MESSAGE_DROPPED)).isZero();
      assertThat(snapt.count(loop -> loop.of(Drop.UDP_REFUSED))).isZero();
    } finally {
      devices.forEach(ConnectedDevice::close);
    }
  }

  @Test
  void aReplayedProbeIsNotAnsweredAgain() throws Exception {
    TestOperator operator = new TestOperator(folder.resolve("pki"));
    try (TestSnapt snapt = new TestSnapt(operator, folder, 1, Duration.ofSeconds(30));
        ConnectedDevice device = new ConnectedDevice(snapt, operator, "alice")) {
      device.tunnel.sent.clear();
      device.tunnel.probes(EACH);
      await().until(() -> device.tunnel.sent.size() >= EACH);
      List<byte[]> captured = List.copyOf(device.tunnel.sent).subList(0, EACH);
      await().until(() -> device.tunnel.accepted() >= EACH);
      long replayed = snapt.count(Verdict.REPLAYED);
      device.tunnel.strike(captured);
      await().until(() -> snapt.count(Verdict.REPLAYED) == replayed + EACH);
    }
  }
}
