package io.viaduct.snapt.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.host.netlink.AddressMapping;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the files of the records and their retention, with a clock of the test.
class AttributionLogTest {
  private static final long HOUR_MS = 3_600_000;
  private static final AddressPool POOL =
      new AddressPool(Prefix.of("10.200.0.0/16"), Prefix.of("fd56:6961:6475::/64"));

  @TempDir Path folder;
  private long nowMs = 1_000 * HOUR_MS + 1;
  private AttributionLog log;

  private void open(Duration retention, long bytesMax) throws IOException {
    log = new AttributionLog(folder, POOL, retention, bytesMax, () -> Instant.ofEpochMilli(nowMs));
  }

  @AfterEach
  void close() {
    log.close();
  }

  private void connection(String inside, String outside, int port) {
    log.mapped(
        new AddressMapping(
            true,
            17,
            InetAddress.ofLiteral(inside),
            InetAddress.ofLiteral(outside),
            port,
            InetAddress.ofLiteral(outside.contains(":") ? "2001:db8::9" : "192.0.2.9"),
            443));
  }

  private List<Long> hours() throws IOException {
    return AttributionLog.files(folder).stream()
        .map(file -> AttributionLog.startMs(file) / HOUR_MS)
        .toList();
  }

  @Test
  void aFileGoesWhenAllOfItIsOlderThanTheRetention() throws Exception {
    open(Duration.ofHours(3), 1 << 20);
    for (int hour = 0; hour < 6; hour++) {
      connection("10.200.0.5", "203.0.113.1", 40_000 + hour);
      nowMs += HOUR_MS;
    }
    connection("10.200.0.5", "203.0.113.1", 50_000);
    assertThat(hours())
        .as("a record of 1002:59 is three hours old at 1005:59")
        .containsExactly(1_002L, 1_003L, 1_004L, 1_005L, 1_006L);
    assertThat(log.lost()).isZero();
  }

  @Test
  void theOldestFilesGoWhenAllTogetherAreLargerThanTheirBound() throws Exception {
    open(Duration.ofDays(7), 20_000);
    for (int hour = 0; hour < 4; hour++) {
      for (int i = 0; i < 100; i++) {
        connection("10.200.0.5", "203.0.113.1", 40_000 + i);
      }
      nowMs += HOUR_MS;
    }
    connection("10.200.0.5", "203.0.113.1", 50_000);
    long bytes = 0;
    for (Path file : AttributionLog.files(folder).subList(0, hours().size() - 1)) {
      bytes += Files.size(file);
    }
    assertThat(bytes).isBetween(5_000L, 20_000L);
    assertThat(hours()).endsWith(1_003L, 1_004L).doesNotContain(1_000L);
  }

  @Test
  void addressesOfIpv6AreFoundInWhateverFormTheyAreAsked() throws Exception {
    open(Duration.ofDays(7), 1 << 20);
    Files.writeString(
        folder.resolve(999 * HOUR_MS + ".log"),
        "S %d 10.200.0.5 %s alice s1 t1%n".formatted(999 * HOUR_MS, POOL.ipv6().address(5)));
    connection("fd56:6961:6475::5", "2001:db8:51::1", 40_000);
    connection("fd00::5", "2001:db8:51::1", 40_001); // of another host
    nowMs += 2_000;
    log.tick();
    // The start of this process ends the sessions of the previous process.
    assertThat(who("2001:db8:51::1", 40_000)).isEmpty();
    Files.writeString(
        folder.resolve(1_000 * HOUR_MS + ".log"),
        "S %d 10.200.0.5 %s alice s2 t2%n".formatted(nowMs, POOL.ipv6().address(5)),
        java.nio.file.StandardOpenOption.APPEND);
    for (String form : List.of("2001:db8:51::1", "2001:DB8:51:0:0:0:0:1")) {
      assertThat(who(form, 40_000)).containsExactly("alice s2 2001:db8:0:0:0:0:0:9 443");
    }
    assertThat(who("fd56:6961:6475::5", 1)).as("a pool address itself").hasSize(1);
    assertThat(who("2001:db8:51::1", 40_001)).isEmpty();
  }

  private List<String> who(String address, int port) throws IOException {
    return AttributionQuery.who(folder, InetAddress.ofLiteral(address), port, nowMs).stream()
        .map(holder -> holder.account() + " " + holder.session() + " " + holder.remote())
        .toList();
  }
}
