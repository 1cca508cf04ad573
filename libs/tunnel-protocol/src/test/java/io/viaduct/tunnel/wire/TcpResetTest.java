package io.viaduct.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.session.PacketForge;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TcpResetTest {
  private static final int ACKNOWLEDGED = 0x0A0B0C0D; // by PacketForge

  private final ByteBuf to = Unpooled.buffer(TcpReset.BYTES_MAX);

  static Stream<PacketForge.Endpoints> families() {
    return Stream.of(
        PacketForge.Endpoints.ipv4(40_000, 9, 443), PacketForge.Endpoints.ipv6(40_000, 9, 443));
  }

  private int answer(byte[] packet) {
    ByteBuf buffer = Unpooled.wrappedBuffer(packet);
    return TcpReset.answer(new IpPacket().set(buffer, 0, packet.length), to, 0);
  }

  private int tcp(int bytes) {
    return bytes - IpFields.TCP_HEADER;
  }

  @ParameterizedTest
  @MethodSource("families")
  void dataIsAnsweredWithTheSequenceThatItsSocketExpects(PacketForge.Endpoints ends) {
    int bytes = answer(PacketForge.tcp(ends, 1_000, PacketForge.ACK, new byte[77]));
    assertThat(bytes).isPositive();
    assertThat(to.getInt(tcp(bytes) + IpFields.TCP_SEQUENCE)).isEqualTo(ACKNOWLEDGED);
    assertThat(to.getByte(tcp(bytes) + IpFields.TCP_FLAGS)).isEqualTo((byte) IpFields.RST);
    assertThat(to.getUnsignedShort(tcp(bytes))).as("source port").isEqualTo(443);
    assertThat(to.getUnsignedShort(tcp(bytes) + 2)).as("destination port").isEqualTo(40_000);
    assertIsWhole(bytes);
  }

  @ParameterizedTest
  @MethodSource("families")
  void aSynIsAnsweredWithAnAcknowledgementOfIt(PacketForge.Endpoints ends) {
    int bytes = answer(PacketForge.tcp(ends, -1, IpFields.SYN, new byte[0]));
    assertThat(to.getInt(tcp(bytes) + IpFields.TCP_SEQUENCE)).isZero();
    assertThat(to.getInt(tcp(bytes) + IpFields.TCP_ACKNOWLEDGEMENT)).as("it wraps").isZero();
    assertThat(to.getByte(tcp(bytes) + IpFields.TCP_FLAGS))
        .isEqualTo((byte) (IpFields.RST | IpFields.ACK));
    assertIsWhole(bytes);
  }

  /// The checksums of a packet that is right add up to ones (RFC 1071).
  private void assertIsWhole(int bytes) {
    IpPacket reset = new IpPacket().set(to, 0, bytes);
    int header = reset.transport();
    int addresses = reset.isIpv4() ? IpFields.IPV4_SOURCE : IpFields.IPV6_SOURCE;
    if (reset.isIpv4()) {
      assertThat(InternetChecksum.of(InternetChecksum.sum(to, 0, header, 0))).isZero();
    }
    long pseudo =
        InternetChecksum.sum(
            to, addresses, header - addresses, IpFields.TCP_HEADER + (long) IpFields.TCP);
    assertThat(InternetChecksum.of(InternetChecksum.sum(to, header, IpFields.TCP_HEADER, pseudo)))
        .isZero();
  }

  @Test
  void aResetAndWhatIsNoWholeSegmentGetNone() {
    PacketForge.Endpoints ends = PacketForge.Endpoints.ipv4(40_000, 9, 443);
    assertThat(answer(PacketForge.tcp(ends, 1, IpFields.RST, new byte[0]))).isZero();
    assertThat(answer(PacketForge.udp(ends, new byte[40]))).isZero();
    byte[] packet = PacketForge.tcp(ends, 1, PacketForge.ACK, new byte[0]);
    for (int bytes = IpFields.IPV4_HEADER; bytes < IpFields.IPV4_HEADER + 20; bytes++) {
      ByteBuf cut = Unpooled.wrappedBuffer(packet, 0, bytes);
      assertThat(TcpReset.answer(new IpPacket().set(cut, 0, bytes), to, 0))
          .as("%d B", bytes)
          .isZero();
    }
    byte[] longer = packet.clone();
    longer[IpFields.IPV4_HEADER + IpFields.TCP_DATA_OFFSET] = (byte) 0xF0;
    assertThat(answer(longer)).as("a header that is longer than the packet").isZero();
    packet[IpFields.IPV4_FRAGMENT + 1] = 1;
    assertThat(answer(packet)).as("a later fragment").isZero();
  }
}
