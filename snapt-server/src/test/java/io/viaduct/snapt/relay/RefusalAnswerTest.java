package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.snapt.ConnectedDevice;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.snapt.relay.TrafficCounters.Direction;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the ICMP errors for refused packets, over real sockets.
class RefusalAnswerTest {
  @TempDir Path folder;
  private TestSnapt snapt;
  private ConnectedDevice device;

  @BeforeEach
  void start() throws Exception {
    TestOperator operator = new TestOperator(folder.resolve("pki"));
    EgressPolicy policy =
        new EgressPolicy(
            List.of(), List.of(EgressRule.of("udp 25")), List.of(Prefix.of("192.0.2.0/24")), true);
    snapt =
        new TestSnapt(
            operator, folder, 1, Duration.ofSeconds(30), 16, Duration.ofMinutes(1), policy, 0);
    device = new ConnectedDevice(snapt, operator, "alice");
  }

  @AfterEach
  void stop() {
    device.close();
    snapt.close();
  }

  private static byte[] udp(String from, String to, int port) {
    return PacketText.udp(from, 5000, to, port, 'x');
  }

  private byte[] answer() throws InterruptedException {
    byte[] answer = device.tunnel.arrived.poll(5, TimeUnit.SECONDS);
    assertThat(answer).as("an ICMP error").isNotNull();
    return answer;
  }

  // Clears the IPv4 identification, which the tunnel may change, and the header checksum, which
  // covers it.
  private static byte[] comparable(byte[] packet) {
    byte[] same = packet.clone();
    if (same[0] >>> 4 == 4) {
      Arrays.fill(same, 4, 6, (byte) 0);
      Arrays.fill(same, 10, 12, (byte) 0);
    }
    return same;
  }

  private static void assertProhibited(byte[] answer, byte[] about) throws Exception {
    boolean ipv6 = answer[0] >>> 4 == 6;
    int address = ipv6 ? 16 : 4;
    int from = ipv6 ? 8 : 12;
    int icmp = ipv6 ? 40 : 20;
    byte[] source = Arrays.copyOfRange(answer, from, from + address);
    byte[] destination = Arrays.copyOfRange(answer, from + address, from + 2 * address);
    assertThat(InetAddress.getByAddress(source))
        .as("the SNAPT's own address of the pool")
        .isEqualTo(InetAddress.getByName(ipv6 ? "fd56::1" : "10.200.0.1"));
    assertThat(destination).isEqualTo(Arrays.copyOfRange(about, from, from + address));
    assertThat(ByteBuffer.wrap(answer).getShort(icmp))
        .as("type and code")
        .isEqualTo((short) (ipv6 ? 0x0101 : 0x030d));
    byte[] quoted = Arrays.copyOfRange(answer, icmp + 8, answer.length);
    assertThat(comparable(quoted)).isEqualTo(comparable(about));
    if (!ipv6) {
      assertThat(PacketText.checksum(Arrays.copyOf(quoted, 20))).as("as it was sent").isZero();
      assertThat(PacketText.checksum(Arrays.copyOf(answer, 20))).isZero();
    }
    assertThat(
            PacketText.transportChecksum(
                source,
                destination,
                ipv6 ? 58 : 1,
                Arrays.copyOfRange(answer, icmp, answer.length)))
        .isZero();
  }

  @Test
  void aRefusedPacketIsAnsweredAsProhibitedWithThePacketThatTheDeviceSent() throws Exception {
    for (byte[] refused :
        List.of(
            udp("10.64.0.2", "203.0.113.7", 25),
            udp("10.64.0.2", "192.168.7.7", 9000),
            udp("10.64.0.2", "192.0.2.7", 9000),
            udp("10.64.0.2", "10.200.0.77", 9000), // another device
            udp("10.64.0.2", "169.254.169.254", 80),
            udp("fdaa::2", "2001:db8::7", 25),
            udp("fdaa::2", "fd00::7", 9000),
            udp("fdaa::2", "fd56::77", 9000),
            udp("fdaa::2", "fe80::1", 9000))) {
      device.tunnel.send(refused);
      assertProhibited(answer(), refused);
    }
    assertThat(snapt.out).isEmpty();
    assertThat(snapt.count(TrafficCounters::answeredRefusals)).isEqualTo(9);
    assertThat(snapt.count(loop -> loop.of(EgressRefusal.DENIED))).isEqualTo(2);
  }

  @Test
  void nobodyPaysForAnAnswer() throws Exception {
    device.tunnel.send(udp("10.64.0.2", "192.168.7.7", 9000));
    answer();
    device.control.send(
        ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("done")).build());
    await().until(() -> snapt.reports.size() == 1);
    UsageReport report = snapt.reports.getFirst();
    assertThat(report.getFlowsList()).isEmpty();
    assertThat(report.getOverheadBytes()).isPositive();
  }

  @Test
  void aFloodOfRefusedPacketsIsCountedAndAnsweredWithABound() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      device.tunnel.send(udp("10.64.0.2", "192.168.7.7", 9000 + i));
    }
    await().until(() -> snapt.count(loop -> loop.of(EgressRefusal.PRIVATE_NETWORK)) == 1_000);
    device.tunnel.send(udp("10.64.0.2", "203.0.113.7", 9000));
    assertThat(snapt.nextOut()).as("the session goes on").isNotNull();
    assertThat(snapt.count(TrafficCounters::answeredRefusals)).isBetween(1L, 600L);
  }

  @Test
  void whatMustNotBeAnsweredIsOnlyCounted() throws Exception {
    byte[] laterFragment = udp("10.64.0.2", "192.168.7.7", 9000);
    ByteBuffer.wrap(laterFragment).putShort(6, (short) 3).putShort(10, (short) 0);
    ByteBuffer.wrap(laterFragment)
        .putShort(10, (short) PacketText.checksum(Arrays.copyOf(laterFragment, 20)));
    List<byte[]> refused =
        List.of(
            PacketText.icmpError(
                "10.64.0.2", "192.168.7.7", udp("192.168.7.7", "10.64.0.2", 9000), 28),
            udp("10.64.0.2", "224.0.0.251", 5353),
            udp("10.64.0.2", "255.255.255.255", 67),
            udp("fdaa::2", "ff02::fb", 5353),
            udp("10.64.0.9", "192.168.7.7", 9000), // with another device's source address
            laterFragment);
    refused.forEach(device.tunnel::send);
    byte[] last = udp("10.64.0.2", "192.168.7.8", 9000);
    await()
        .until(() ->
            snapt.count(loop -> loop.of(EgressRefusal.PRIVATE_NETWORK))
                    + snapt.count(loop -> loop.of(Direction.UP, Translated.UNROUTABLE_DESTINATION))
                    + snapt.count(loop -> loop.of(Direction.UP, Translated.FOREIGN_SOURCE))
                == refused.size());
    device.tunnel.send(last);
    assertProhibited(answer(), last);
    assertThat(device.tunnel.arrived).isEmpty();
  }
}
