package io.viaduct.host.tun;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class ChecksumProperties {
  /// RFC 1071 section 1, word by word.
  static int slow(byte[] bytes) {
    int sum = 0;
    for (int i = 0; i < bytes.length; i += 2) {
      int low = i + 1 < bytes.length ? bytes[i + 1] & 0xff : 0;
      sum += (bytes[i] & 0xff) << 8 | low;
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return ~sum & 0xffff;
  }

  @Example
  void theExampleOfRfc1071() {
    ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {0, 1, (byte) 0xf2, 3, -12, -11, -10, -9});
    assertThat(Checksum.fold(Checksum.sum(bytes, 0, 8))).isEqualTo(0xddf2);
  }

  @Property
  void theFastSumAgreesWithTheSlowOne(@ForAll byte[] bytes, @ForAll @IntRange(max = 7) int before) {
    ByteBuf buffer = Unpooled.buffer().writeZero(before).writeBytes(bytes);
    assertThat(Checksum.of(Checksum.sum(buffer, before, bytes.length))).isEqualTo(slow(bytes));
  }

  @Property
  void anUpdateEqualsSummingAnew(
      @ForAll @Size(min = 8, max = 60) byte[] bytes,
      @ForAll @IntRange(max = 3) int word,
      @ForAll short changed) {
    bytes[1] |= 1; // not all zero: RFC 1624 is about sums that are not
    ByteBuf buffer = Unpooled.copiedBuffer(bytes);
    int before = Checksum.of(Checksum.sum(buffer, 0, bytes.length));
    int partial = Checksum.fold(Checksum.sum(buffer, 0, bytes.length));
    int old = buffer.getUnsignedShort(2 * word);
    buffer.setShort(2 * word, changed);
    int after = Checksum.update(before, old, changed & 0xffff);
    long summed = Checksum.sum(buffer, 0, bytes.length);
    // One's complement has two zeros: as sums they are the same number.
    assertThat(Checksum.fold(summed + after)).isIn(0, 0xffff);
    int partialAfter = Checksum.updatePartial(partial, old, changed & 0xffff);
    assertThat(partialAfter % 0xffff).isEqualTo(Checksum.fold(summed) % 0xffff);
  }

  @Example
  void aUdpChecksumOfZeroIsSentAsOnes() {
    assertThat(Checksum.udpField(0)).isEqualTo(0xffff);
    assertThat(Checksum.udpField(0x1234)).isEqualTo(0x1234);
  }
}
