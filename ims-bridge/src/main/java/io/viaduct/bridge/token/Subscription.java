package io.viaduct.bridge.token;

import io.viaduct.bridge.directory.Relay;
import io.viaduct.sip.SipFlow;
import java.time.Instant;
import java.util.List;

/// One subscription dialog (RFC 6665 section 4.2). Immutable; [SessionNotifier] keeps the current
/// one.
///
/// @param key of the dialog
/// @param event as the first SUBSCRIBE gave it
/// @param remote From of the SUBSCRIBE with its tag: To of our NOTIFYs
/// @param local To of the SUBSCRIBE with our tag: From of our NOTIFYs
/// @param target Contact of the subscriber
/// @param cseq of our last NOTIFY
/// @param remoteCseq of the last SUBSCRIBE
/// @param renewAt when the token in the subscriber's hands should be replaced; long ago if a
///   SUBSCRIBE has not had its NOTIFY yet
/// @param relays as last notified
record Subscription(
    Key key,
    String user,
    SessionEvent event,
    String remote,
    String local,
    String target,
    SipFlow flow,
    byte[] deviceKey,
    String sid,
    String icid,
    long cseq,
    long remoteCseq,
    Instant expires,
    Instant renewAt,
    List<Relay> relays) {
  /// RFC 3261 section 12: Call-ID, local tag, remote tag.
  record Key(String callId, String localTag, String remoteTag) {}

  Subscription refreshed(
      String nextTarget, SipFlow nextFlow, byte[] nextKey, long nextRemote, Instant until) {
    return new Subscription(
        key,
        user,
        event,
        remote,
        local,
        nextTarget,
        nextFlow,
        nextKey,
        sid,
        icid,
        cseq,
        nextRemote,
        until,
        Instant.EPOCH,
        relays);
  }

  Subscription notified(Instant nextRenewal, List<Relay> sent) {
    return new Subscription(
        key,
        user,
        event,
        remote,
        local,
        target,
        flow,
        deviceKey,
        sid,
        icid,
        cseq + 1,
        remoteCseq,
        expires,
        nextRenewal,
        sent);
  }
}
