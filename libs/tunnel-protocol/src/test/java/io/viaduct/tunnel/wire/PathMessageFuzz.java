package io.viaduct.tunnel.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Reads arbitrary bodies of PATH datagrams. Rule: a valid message is written again as the same
/// bytes, except for the padding of an MTU_PROBE.
final class PathMessageFuzz {
  private static final int BYTES_MAX = 64;

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    PathMessage message = PathMessage.read(input, 0, input.length);
    if (message != null) {
      byte[] again = new byte[BYTES_MAX];
      int end = PathMessage.write(message, again, 0);
      int said = message instanceof PathMessage.MtuProbe ? end : input.length;
      if (!Arrays.equals(Arrays.copyOf(input, said), Arrays.copyOf(again, end))) {
        throw new AssertionError(message + " is written back as other bytes");
      }
    }
  }

  static List<byte[]> seeds() {
    return List.of(
            new PathMessage.Probe(1, 2, -3, 4, PathMessage.NO_PATH, 0, 0, null, null),
            new PathMessage.Probe(1, 2, -3, 4, 7, 0x83, 0x80, null, null),
            new PathMessage.Probe(1, 2, -3, 4, 7, 0x83, 0x80, "", null),
            new PathMessage.Probe(1, 2, -3, 4, 7, 0x83, 0x80, "enx0123456789ab", null),
            new PathMessage.Probe(
                1,
                2,
                -3,
                4,
                7,
                0x83,
                0x80,
                "rmnet_data0.1-2",
                new PathMeasurement(1, 2, 3, 4, 5, 6)),
            new PathMessage.Probe(
                1, 2, -3, 4, 7, 0x83, 0x80, null, new PathMeasurement(1, 2, 3, 65_535, 5, -1)),
            new PathMessage.ProbeReply(1, 2, 3, 4, PathMessage.NO_COUNT),
            new PathMessage.ProbeReply(1, 2, 3, 4, 0xFFFF_FFFFL),
            new PathMessage.Challenge(Long.MIN_VALUE),
            new PathMessage.Response(7, PathMessage.NO_PATH),
            new PathMessage.Response(7, 2),
            new PathMessage.MtuProbe(1, 1400),
            new PathMessage.MtuAck(1, 1400),
            new PathMessage.CarryBy(true),
            new PathMessage.Receipt(1, 2, 3, 4, PathMessage.NO_COUNT),
            new PathMessage.Receipt(1, 2, 3, 4, 0))
        .stream()
        .map(message -> {
          byte[] bytes = new byte[BYTES_MAX];
          int end = PathMessage.write(message, bytes, 0);
          return Arrays.copyOf(bytes, end);
        })
        .toList();
  }
}
