package io.viaduct.testbed.tap;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacketHostsTest {
  private final PacketHosts hosts = PacketHosts.of(List.of("192.0.2.7", "2001:db8::7"));

  private static byte[] packet(int version, int source, String from, String to) {
    byte[] a = InetAddress.ofLiteral(from).getAddress();
    byte[] b = InetAddress.ofLiteral(to).getAddress();
    byte[] packet = new byte[40];
    packet[0] = (byte) (version << 4);
    System.arraycopy(a, 0, packet, source, a.length);
    System.arraycopy(b, 0, packet, source + a.length, b.length);
    return packet;
  }

  @Test
  void packetsFromAndToAHostAreFoundInBothFamilies() {
    assertThat(hosts.isAny(packet(4, 12, "192.0.2.7", "192.0.2.1"))).isTrue();
    assertThat(hosts.isAny(packet(4, 12, "192.0.2.1", "192.0.2.7"))).isTrue();
    assertThat(hosts.isAny(packet(6, 8, "2001:db8::7", "2001:db8::1"))).isTrue();
    assertThat(hosts.isAny(packet(6, 8, "2001:db8::1", "2001:db8::7"))).isTrue();
  }

  @Test
  void othersAreNotNorIsWhatIsTooShort() {
    assertThat(hosts.isAny(packet(4, 12, "192.0.2.2", "192.0.2.1"))).isFalse();
    assertThat(hosts.isAny(packet(6, 8, "2001:db8::8", "2001:db8::1"))).isFalse();
    assertThat(hosts.isAny(new byte[0])).isFalse();
    assertThat(hosts.isAny(new byte[] {0x45, 0})).isFalse();
  }
}
