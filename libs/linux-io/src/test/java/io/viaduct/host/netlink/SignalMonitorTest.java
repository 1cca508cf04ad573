package io.viaduct.host.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.host.linux.Loops;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Asks the real kernel. The loopback is not wireless, and most machines of developers have no
/// wireless driver.
@Timeout(30)
class SignalMonitorTest {
  private static final int LOOPBACK = 1;

  private final List<Integer> signals = new CopyOnWriteArrayList<>();

  @Test
  void withoutAWirelessLinkItIsSilentAndStopsAsking() throws Exception {
    try (Loops loops = new Loops(1);
        SignalMonitor monitor = new SignalMonitor(loops.first(), (_, dBm) -> signals.add(dBm))) {
      loops.first().submit(() -> monitor.watch(Set.of(LOOPBACK))).get(5, TimeUnit.SECONDS);
      await().atMost(Duration.ofSeconds(10)).until(() -> !monitor.isAsking());
      assertThat(signals).isEmpty();
      assertThat(monitor.malformed()).isZero();
    }
  }
}
