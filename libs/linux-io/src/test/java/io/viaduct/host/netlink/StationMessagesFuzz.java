package io.viaduct.host.netlink;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Messages of a generic netlink socket, for the family 0x1c. Rule: no exception, and no signal of
/// zero or more dBm.
final class StationMessagesFuzz {
  private static final StationMessages.Listener LISTENER =
      new StationMessages.Listener() {
        @Override
        public void family(int number) {
          if (number < 1 || number > 0xffff) {
            throw new AssertionError("family " + number);
          }
        }

        @Override
        public void signal(int linkIndex, int dBm) {
          if (linkIndex <= 0 || dBm >= 0 || dBm < Byte.MIN_VALUE) {
            throw new AssertionError("link " + linkIndex + " with " + dBm + " dBm");
          }
        }

        @Override
        public void ended(int sequence, int error) {}
      };

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    new StationMessages().read(ByteBuffer.wrap(input), Stations.FAMILY, LISTENER);
  }

  static List<byte[]> seeds() {
    return Stream.of(
            Stations.CONTROLLER,
            Stations.PRESENT,
            Stations.ABSENT,
            Stations.REFUSED,
            Stations.STATION + Stations.STATION_WITHOUT_MEAN + Stations.DONE)
        .map(HexFormat.of()::parseHex)
        .toList();
  }
}
