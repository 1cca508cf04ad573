package io.viaduct.tunnel.fragment;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.wire.FragmentHeader;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Takes arbitrary fragments, which are not authenticated. Input: steps of one octet (0–3 the
/// session, 4–7 added to the sequence), one of length, the datagram. Rules: a verdict and no
/// exception, never more memory than the bound, and a complete body has the length that its
/// fragments claim.
final class FragmentFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    ByteBuffer steps = ByteBuffer.wrap(input);
    FragmentMemory memory = new FragmentMemory();
    Reassembler[] sessions = new Reassembler[16];
    java.util.Arrays.setAll(sessions, i -> new Reassembler(memory));
    long sequence = 0;
    while (steps.remaining() > 2) {
      int step = steps.get();
      byte[] datagram = new byte[Math.min(steps.get() & 0xFF, steps.remaining())];
      steps.get(datagram);
      sequence += step >>> 4 & 0xF;
      if (datagram.length < FragmentHeader.LENGTH) {
        continue;
      }
      Reassembler session = sessions[step & 0xF];
      ByteBuf buffer = Unpooled.wrappedBuffer(datagram);
      session.take(sequence, buffer, 0, datagram.length);
      PartialBody body = session.complete();
      if (body != null) {
        if (body.sealedBytes() > FragmentHeader.SEALED_BYTES_MAX
            || body.count() > FragmentHeader.FRAGMENTS_MAX
            || body.first() < 0) {
          throw new AssertionError(body.sealedBytes() + " bytes in " + body.count());
        }
        session.giveBack(body);
      }
    }
    if (memory.made() > FragmentMemory.BODIES_MAX) {
      throw new AssertionError(memory.made() + " bodies");
    }
  }

  /// Returns one body in two fragments.
  static List<byte[]> seeds() {
    byte[] first = new byte[2 + FragmentHeader.LENGTH + 8];
    first[1] = (byte) (first.length - 2);
    FragmentHeader.write(Unpooled.wrappedBuffer(first), 2, 0, false, 20);
    byte[] last = new byte[2 + FragmentHeader.LENGTH + 12];
    last[0] = 0x10;
    last[1] = (byte) (last.length - 2);
    FragmentHeader.write(Unpooled.wrappedBuffer(last), 2, 1, true, 20);
    byte[] both = new byte[first.length + last.length];
    System.arraycopy(first, 0, both, 0, first.length);
    System.arraycopy(last, 0, both, first.length, last.length);
    return List.of(both, first, last);
  }
}
