package io.viaduct.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class InternetChecksumProperties {
  /// Computes the checksum of RFC 1071 section 1 word by word.
  private static int slow(byte[] bytes) {
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
    byte[] bytes = {0, 1, (byte) 0xf2, 3, -12, -11, -10, -9};
    assertThat(InternetChecksum.fold(InternetChecksum.sum(bytes, 0, 8, 0))).isEqualTo(0xddf2);
  }

  @Property
  void theFastSumsAgreeWithTheSlowOne(@ForAll byte[] bytes, @ForAll @IntRange(max = 7) int before) {
    ByteBuf buffer = Unpooled.buffer().writeZero(before).writeBytes(bytes);
    assertThat(InternetChecksum.of(InternetChecksum.sum(buffer, before, bytes.length, 0)))
        .isEqualTo(slow(bytes));
    byte[] array = buffer.array();
    assertThat(InternetChecksum.of(InternetChecksum.sum(array, before, bytes.length, 0)))
        .isEqualTo(slow(bytes));
  }

  @Property
  void aCorrectionEqualsSummingAnew(
      @ForAll @Size(min = 8, max = 60) byte[] bytes,
      @ForAll @IntRange(max = 3) int word,
      @ForAll short changed) {
    bytes[1] |= 1; // not all zero: RFC 1624 excludes such sums
    ByteBuf buffer = Unpooled.copiedBuffer(bytes);
    int before = InternetChecksum.of(InternetChecksum.sum(buffer, 0, bytes.length, 0));
    int old = buffer.getUnsignedShort(2 * word);
    buffer.setShort(2 * word, changed);
    int change = InternetChecksum.change(old, changed & 0xffff);
    long summed = InternetChecksum.sum(buffer, 0, bytes.length, 0);
    // One's complement has two zeros, which are the same number as sums.
    assertThat(InternetChecksum.fold(summed + InternetChecksum.corrected(before, change)))
        .isIn(0, 0xffff);
  }

  @Example
  void aFinishedChecksumOfZeroIsSentAsOnes() {
    ByteBuf packet = Unpooled.buffer().writeShort(0xffff).writeShort(0);
    InternetChecksum.complete(packet, 0, 4, 2);
    assertThat(packet.getUnsignedShort(2)).isEqualTo(0xffff);
  }
}
