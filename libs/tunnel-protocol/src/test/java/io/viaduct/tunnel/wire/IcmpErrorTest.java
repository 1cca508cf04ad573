package io.viaduct.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class IcmpErrorTest {
  private final IcmpError icmp = new IcmpError();
  private final ByteBuf source = Unpooled.buffer().writeZero(20);
  private final ByteBuf to = Unpooled.buffer(IcmpError.BYTES_MAX);
  private long nowNs = 1_000_000_000L;

  private int prohibited(byte[] packet) {
    nowNs += 1_000_000_000L;
    return told(packet);
  }

  private int told(byte[] packet) {
    ByteBuf buffer = Unpooled.wrappedBuffer(packet);
    int sourceAt = packet[0] >>> 4 == 4 ? 0 : 4;
    return icmp.prohibited(
        new IpPacket().set(buffer, 0, packet.length), source, sourceAt, to, 0, nowNs);
  }

  private static byte[] ipv4(int protocol, int firstOfDestination, int fragment, int... payload) {
    ByteBuffer packet = ByteBuffer.allocate(20 + payload.length);
    packet.putShort(0, (short) 0x4500).putShort(2, (short) packet.capacity());
    packet.putShort(6, (short) fragment).put(9, (byte) protocol);
    packet.put(12, (byte) 10).put(16, (byte) firstOfDestination);
    for (int i = 0; i < payload.length; i++) {
      packet.put(20 + i, (byte) payload[i]);
    }
    return packet.array();
  }

  private static byte[] ipv6(int next, int firstOfDestination, int... payload) {
    ByteBuffer packet = ByteBuffer.allocate(40 + payload.length);
    packet.put(0, (byte) 0x60).putShort(4, (short) payload.length).put(6, (byte) next);
    packet.put(8, (byte) 0xfd).put(24, (byte) firstOfDestination);
    for (int i = 0; i < payload.length; i++) {
      packet.put(40 + i, (byte) payload[i]);
    }
    return packet.array();
  }

  @Test
  void aPacketOfAHostToAHostIsAnsweredInItsFamily() {
    assertThat(prohibited(ipv4(17, 192, 0, 1, 2, 3))).isEqualTo(20 + 8 + 20 + 3);
    assertThat(to.getUnsignedShort(20)).isEqualTo(0x030d);
    assertThat(prohibited(ipv6(17, 0x20, 1, 2, 3))).isEqualTo(40 + 8 + 40 + 3);
    assertThat(to.getUnsignedShort(40)).isEqualTo(0x0101);
    assertThat(prohibited(ipv4(1, 192, 0, 8))).as("an echo request is no error").isPositive();
    assertThat(prohibited(ipv6(58, 0x20, 128))).isPositive();
    assertThat(prohibited(ipv4(17, 192, 0x2000))).as("a first fragment").isPositive();
  }

  @Test
  void ofErrorsLaterFragmentsAndGroupsNothingIsSaid() {
    for (int type : new int[] {3, 4, 5, 11, 12}) {
      assertThat(prohibited(ipv4(1, 192, 0, type))).as("ICMP type %d", type).isZero();
    }
    assertThat(prohibited(ipv4(1, 192, 0))).as("ICMP without a type").isZero();
    for (int type = 0; type < 128; type++) {
      assertThat(prohibited(ipv6(58, 0x20, type))).as("ICMPv6 type %d", type).isZero();
    }
    assertThat(prohibited(ipv4(17, 192, 1))).as("a later fragment").isZero();
    for (int first : new int[] {0, 127, 224, 239, 255}) {
      assertThat(prohibited(ipv4(17, first, 0))).as("%d.0.0.0", first).isZero();
    }
    assertThat(prohibited(ipv6(17, 0xff))).as("multicast").isZero();
    for (int next : new int[] {0, 43, 44, 60}) {
      assertThat(prohibited(ipv6(next, 0x20, 58, 0, 0, 0, 0, 0, 0, 0, 1)))
          .as("behind extension header %d may be anything", next)
          .isZero();
    }
  }

  @Test
  void noMoreThanAHundredASecondAreToldAfterABurst() {
    byte[] packet = ipv4(17, 192, 0);
    int told = 0;
    for (int i = 0; i < 10_000; i++) {
      nowNs += 100_000; // one second in all
      told += told(packet) > 0 ? 1 : 0;
    }
    assertThat(told).isBetween(100, 117);
  }

  @Test
  void aLongPacketIsQuotedAsFarAsTheErrorMayBeLong() {
    assertThat(prohibited(ipv4(17, 192, 0, new int[2_000]))).isEqualTo(576);
    assertThat(prohibited(ipv6(17, 0x20, new int[2_000]))).isEqualTo(1_280);
  }
}
