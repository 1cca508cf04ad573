package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Keeps the session of an end that another SNAPT has taken over, until nothing is under way to it
/// any more; one at a time. Owner: the data path's event loop.
final class Retirement {
  private final DataLoop at;
  private @Nullable RetiringSession retiring;

  Retirement(DataLoop at) {
    this.at = at;
  }

  /// Keeps a session. One that is still kept ends.
  void begin(TunnelSession session, @Nullable SessionCounter counter, int ownReceiverIndex) {
    end();
    RetiringSession kept = new RetiringSession(at, session, counter, ownReceiverIndex);
    retiring = kept;
    at.loop().schedule(() -> over(kept), RetiringSession.LASTS_MS, TimeUnit.MILLISECONDS);
  }

  private void over(RetiringSession kept) {
    if (retiring == kept) { // not if another one has followed it, or the end was closed
      end();
    }
  }

  /// Opens the flows of the kept session in the one that follows it.
  void passFlowsTo(TunnelSession next, long nowNs) {
    RetiringSession former = retiring;
    if (former != null) {
      former.passFlowsTo(next, nowNs);
    }
  }

  /// Opens a datagram if it is for the kept session. @return false if it is not
  boolean opens(ByteBuf datagram) {
    RetiringSession former = retiring;
    return former != null && former.opens(datagram);
  }

  /// Returns whether a session is kept.
  boolean isUnderWay() {
    return retiring != null;
  }

  /// Ends the session that is kept.
  void end() {
    RetiringSession before = retiring;
    retiring = null;
    if (before != null) {
      before.close();
    }
  }
}
