package io.viaduct.host.netlink;

import java.nio.ByteBuffer;
import java.util.List;

/// Messages of a netlink socket. Rule: no exception, and no change without its parts.
public final class RouteMessagesFuzz {
  private RouteMessagesFuzz() {}

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

  public static void fuzzerTestOneInput(byte[] input) {
    new RouteMessages().read(ByteBuffer.wrap(input), LISTENER);
  }

  public static List<byte[]> seeds() {
    return RouteMessagesProperties.captured();
  }
}
