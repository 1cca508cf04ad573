package io.viaduct.sip.invite;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The server transactions of the INVITEs that a handler has begun to serve. Thread-safe.
public final class InviteServers {
  /// Identity of an INVITE, which its retransmissions, its CANCEL and the ACK of its refusal share
  /// (RFC 3261 section 17.2.3).
  ///
  /// @param source flow that it came by
  /// @param via sent-by and branch of the topmost Via
  /// @param number of CSeq
  public record Key(String source, String via, String callId, long number) {}

  private final Timers timers;
  private final int limit;
  private final Map<Key, InviteServer> open = new ConcurrentHashMap<>();

  /// @param limit most transactions at a time
  public InviteServers(Timers timers, int limit) {
    this.timers = timers;
    this.limit = limit;
  }

  /// Begins a transaction.
  ///
  /// @return null if too many are open
  public @Nullable InviteServer begin(
      Key key, Consumer<byte[]> writer, boolean isUnreliable, Runnable onCancel) {
    if (open.size() >= limit) {
      return null;
    }
    InviteServer[] made = new InviteServer[1];
    made[0] =
        new InviteServer(
            timers,
            writer,
            isUnreliable,
            onCancel,
            () -> {
              open.remove(key, made[0]);
              made[0].end();
            });
    open.put(key, made[0]);
    return made[0];
  }

  /// Takes an INVITE. @return true if it is a retransmission
  public boolean onInvite(Key key) {
    InviteServer known = open.get(key);
    if (known != null) {
      known.onInvite();
    }
    return known != null;
  }

  /// Takes an ACK. @return true if it acknowledges a refusal
  public boolean onAck(Key key) {
    InviteServer known = open.get(key);
    return known != null && known.onAck();
  }

  /// Takes a CANCEL. @return false if no INVITE is there that it could cancel
  public boolean onCancel(Key key) {
    InviteServer known = open.get(key);
    if (known != null) {
      known.onCancel();
    }
    return known != null;
  }

  /// Returns the open transactions.
  public int size() {
    return open.size();
  }
}
