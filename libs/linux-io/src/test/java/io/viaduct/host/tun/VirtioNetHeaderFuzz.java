package io.viaduct.host.tun;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.fuzzing.Corpus;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// The twelve octets before a packet. Rule: each field that was read is written back unchanged.
final class VirtioNetHeaderFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < VirtioNetHeader.LENGTH) {
      return;
    }
    VirtioNetHeader from = new VirtioNetHeader().wrap(Unpooled.wrappedBuffer(input), 0);
    ByteBuf buffer = Unpooled.buffer(VirtioNetHeader.LENGTH).writeZero(VirtioNetHeader.LENGTH);
    new VirtioNetHeader()
        .wrap(buffer, 0)
        .flags(from.flags())
        .gsoType(from.gsoType() | (from.isGsoEcn() ? VirtioNetHeader.GSO_ECN : 0))
        .headerLength(from.headerLength())
        .gsoSize(from.gsoSize())
        .checksumStart(from.checksumStart())
        .checksumOffset(from.checksumOffset());
    for (int i = 0; i < VirtioNetHeader.LENGTH - Short.BYTES; i++) {
      if (buffer.getByte(i) != input[i]) {
        throw new AssertionError("octet " + i + " is written otherwise");
      }
    }
  }

  static List<byte[]> seeds() {
    return List.of(
        new byte[VirtioNetHeader.LENGTH], new byte[] {1, 1, 40, 0, 100, 5, 20, 0, 16, 0, 0, 0});
  }
}
