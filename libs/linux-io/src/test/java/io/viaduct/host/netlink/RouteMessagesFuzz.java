package io.viaduct.host.netlink;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Messages of a netlink socket. Rule: no exception, and no change without its parts.
final class RouteMessagesFuzz {
  private static final RouteMessages.Listener LISTENER =
      new RouteMessages.Listener() {
        @Override
        public void changed(NetworkChange change, boolean asked) {
          if (change.toString().isEmpty()) {
            throw new AssertionError("a change that says nothing");
          }
        }

        @Override
        public void ended(int sequence, int error) {}
      };

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    new RouteMessages().read(ByteBuffer.wrap(input), LISTENER);
  }

  static List<byte[]> seeds() {
    return RouteMessagesProperties.captured();
  }
}
