package io.viaduct.tunnel.session;

import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.wire.PathMessage;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A path message that waits for its carrier. [PathNotes] reuses it.
final class PathNote {
  /// The message, and zeros behind it.
  final byte[] body = new byte[PathMessage.BYTES_MAX];

  int length;

  /// Bytes of the outer IP packet to which the message is padded; 0 without padding.
  int paddedTo;

  Carrier by = Carrier.UDP;
  @Nullable InetSocketAddress to;
  @Nullable PathNote next;

  /// Returns whether the other message may leave in one run with this one: the kernel cuts a run
  /// into datagrams of one size to one address.
  boolean leavesWith(PathNote other) {
    return paddedTo == other.paddedTo
        && paddedTo <= PathTrials.SIZE_MAX
        && length == other.length
        && by == other.by
        && (to == other.to || to != null && to.equals(other.to));
  }
}
