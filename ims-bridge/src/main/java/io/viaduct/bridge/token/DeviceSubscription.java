package io.viaduct.bridge.token;

import io.viaduct.bridge.core.DialogPath;
import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.sip.SipFlow;
import java.time.Instant;
import java.util.List;

/// One subscription dialog (RFC 6665 section 4.2). Immutable; [SessionNotifier] replaces it at each
/// change.
///
/// @param key of the dialog
/// @param event of the first SUBSCRIBE
/// @param remote From of the SUBSCRIBE with its tag: To of our NOTIFYs
/// @param local To of the SUBSCRIBE with our tag: From of our NOTIFYs
/// @param target Contact of the subscriber
/// @param path way to the subscriber
/// @param cseq of our last NOTIFY
/// @param remoteCseq of the last SUBSCRIBE
/// @param renewAt when the subscriber's token should be replaced; [Instant#EPOCH] if a SUBSCRIBE
///   still waits for its NOTIFY
/// @param relays SNAPTs of the last NOTIFY
/// @param credit state of the account's credit in the last NOTIFY
record Subscription(
    Key key,
    String user,
    SessionEvent event,
    String remote,
    String local,
    String target,
    DialogPath path,
    byte[] deviceKey,
    String sid,
    String icid,
    long cseq,
    long remoteCseq,
    Instant expires,
    Instant renewAt,
    List<Relay> relays,
    CreditState credit) {
  private static final String SEPARATOR = "\n";

  /// The dialog ID (RFC 3261 section 12): Call-ID, local tag, remote tag.
  record Key(String callId, String localTag, String remoteTag) {
    /// Returns the key among the entries that bridges share.
    String text() {
      return String.join(SEPARATOR, callId, localTag, remoteTag);
    }

    /// @throws IllegalArgumentException if it is no such text
    static Key parse(String text) {
      String[] parts = text.split(SEPARATOR, -1);
      if (parts.length != 3) {
        throw new IllegalArgumentException("a dialog has three parts");
      }
      return new Key(parts[0], parts[1], parts[2]);
    }
  }

  /// The last NOTIFYs of another bridge may be unknown here.
  private static final int UNKNOWN_NOTIFIES = 16;

  /// Returns the subscription as this bridge takes it over from another one.
  Subscription takenOver() {
    return new Subscription(
        key,
        user,
        event,
        remote,
        local,
        target,
        path,
        deviceKey,
        sid,
        icid,
        cseq + UNKNOWN_NOTIFIES,
        remoteCseq,
        expires,
        renewAt,
        relays,
        credit);
  }

  Subscription refreshed(
      String nextTarget, SipFlow nextFlow, byte[] nextKey, long nextRemote, Instant until) {
    return new Subscription(
        key,
        user,
        event,
        remote,
        local,
        nextTarget,
        path.by(nextFlow),
        nextKey,
        sid,
        icid,
        cseq,
        nextRemote,
        until,
        Instant.EPOCH,
        relays,
        credit);
  }

  /// Returns the subscription with a NOTIFY that is due at once.
  Subscription due() {
    return new Subscription(
        key,
        user,
        event,
        remote,
        local,
        target,
        path,
        deviceKey,
        sid,
        icid,
        cseq,
        remoteCseq,
        expires,
        Instant.EPOCH,
        relays,
        credit);
  }

  Subscription notified(Instant nextRenewal, List<Relay> sent, CreditState told) {
    return new Subscription(
        key,
        user,
        event,
        remote,
        local,
        target,
        path,
        deviceKey,
        sid,
        icid,
        cseq + 1,
        remoteCseq,
        expires,
        nextRenewal,
        sent,
        told);
  }
}
