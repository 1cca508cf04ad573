package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.links.AttachedLink;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.host.netlink.RecordedSignals;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// From the kernel's bytes about a wireless link to the path of the packets: dialogue, monitor of
/// the links, rules, paths with real sockets.
class SignalToPathTest {
  private static final int WIRELESS_PATH = 0; // ids of paths, in the order of the links
  private static final int WIRED_PATH = 1;
  private static final int STRONG_DBM = -61;
  private static final int WEAK_DBM = -85;

  private LoopbackPaths device;
  private LinkMonitor links;
  private RecordedSignals kernel;

  @BeforeEach
  void bothLinksCarry() throws Exception {
    device = new LoopbackPaths();
    links =
        new LinkMonitor(
            device.loop(),
            LinkRules.of(List.of()),
            device.links(),
            _ -> {},
            (_, listener) -> kernel = new RecordedSignals(listener));
    List<InetAddress> sources = List.of(InetAddress.ofLiteral("127.0.0.1"));
    device.on(() ->
        links.attached(
            List.of(
                new AttachedLink(RecordedSignals.WIRELESS, "lo", sources),
                new AttachedLink(RecordedSignals.WIRELESS + 1, "lo", sources))));
    device.begin();
    seconds(3, STRONG_DBM);
    assertThat(device.path(WIRELESS_PATH).use()).isEqualTo("yes");
    assertThat(device.path(WIRED_PATH).use()).isEqualTo("yes");
  }

  @AfterEach
  void close() throws Exception {
    links.close();
    device.close();
  }

  private void seconds(int seconds, int dBm) throws Exception {
    for (int i = 0; i < seconds; i++) {
      device.on(() -> kernel.period(dBm));
      device.advanceMs(1_000);
    }
  }

  @Test
  void aWirelessLinkOfWeakSignalIsLeftWithoutALossAndUsedAgainWhenItIsStrong() throws Exception {
    seconds(1, WEAK_DBM);
    assertThat(device.path(WIRELESS_PATH).use()).as("one reading decides nothing").isEqualTo("yes");
    seconds(1, WEAK_DBM);
    assertThat(device.path(WIRELESS_PATH).use()).isEqualTo("no");
    assertThat(device.path(WIRELESS_PATH).why())
        .isEqualTo("its signal is weak (-85 dBm), and another link works");
    assertThat(links.status().getFirst().signalDbm()).isEqualTo(WEAK_DBM);
    long wireless = device.offeredBytes(WIRELESS_PATH);
    seconds(3, WEAK_DBM);
    assertThat(device.offeredBytes(WIRELESS_PATH)).as("no packet more").isEqualTo(wireless);
    assertThat(device.snapt.delivered).as("every packet").isEqualTo(device.offered);
    seconds(5, STRONG_DBM);
    assertThat(device.path(WIRELESS_PATH).use()).isEqualTo("yes");
  }
}
