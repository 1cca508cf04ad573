package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.DatagramHeader;
import org.jspecify.annotations.Nullable;

/// A session that another SNAPT has taken over. For a short time it opens what is still under way
/// to it, and sends nothing. Owner: the data path's event loop.
final class RetiringSession {
  /// Time after which nothing is under way any more: the former SNAPT is told within 5 s that the
  /// packets from the Internet arrive at the other one.
  static final long LASTS_MS = 6_000;

  private final DataLoop at;
  private final TunnelSession session;
  private final @Nullable SessionCounter counter;
  private final int ownReceiverIndex;
  private boolean passed;

  RetiringSession(
      DataLoop at, TunnelSession session, @Nullable SessionCounter counter, int ownReceiverIndex) {
    this.at = at;
    this.session = session;
    this.counter = counter;
    this.ownReceiverIndex = ownReceiverIndex;
  }

  /// Opens the flows of this session in the one that follows it, once: their next packets go there,
  /// whatever other SNAPTs the host uses.
  void passFlowsTo(TunnelSession next, long nowNs) {
    if (passed) {
      return;
    }
    passed = true;
    session
        .flows()
        .forEach(flow -> {
          FlowState opened = next.flows().restore(FlowTuple.of(flow), nowNs);
          if (opened != null && opened.attachment() instanceof FlowNote note) {
            note.placed = "it has moved with its session";
          }
        });
  }

  /// Opens a datagram if it is for this session. @return false if it is not
  boolean opens(ByteBuf datagram) {
    int offset = datagram.readerIndex();
    int length = datagram.readableBytes();
    if (DatagramHeader.receiverIndex(datagram, offset, length) != ownReceiverIndex) {
      return false;
    }
    if (DatagramHeader.type(datagram, offset) == DatagramHeader.TYPE_PATH) {
      return true; // the paths are those of the present session
    }
    long nowNs = at.nowNs();
    session.open(datagram, offset, length, null, at.toHost(), nowNs);
    session.openBatchEnd(nowNs);
    if (counter != null) {
      counter.note(nowNs);
    }
    return true;
  }

  /// Ends the session. Called once.
  void close() {
    at.carried().retire(session);
    session.close();
  }
}
