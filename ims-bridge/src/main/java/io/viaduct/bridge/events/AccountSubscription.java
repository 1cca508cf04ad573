package io.viaduct.bridge.events;

import io.viaduct.bridge.core.DialogPath;
import io.viaduct.sip.SipFlow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One subscription (RFC 6665). Immutable; [EventNotifier] replaces it at each change.
///
/// @param event value of the Event header, which each NOTIFY repeats
/// @param remote From of the SUBSCRIBE with its tag: To of our NOTIFYs
/// @param local To of the SUBSCRIBE with our tag: From of our NOTIFYs
/// @param target Contact of the subscriber
/// @param path way to the subscriber
/// @param cseq of our last NOTIFY
/// @param remoteCseq of the last SUBSCRIBE
/// @param trigger as last seen; null if a SUBSCRIBE still waits for its NOTIFY
/// @param told state of the last NOTIFY; null if a SUBSCRIBE still waits for its NOTIFY
record EventDialog(
    Key key,
    String user,
    EventPackage<?> events,
    String event,
    String remote,
    String local,
    String target,
    DialogPath path,
    long cseq,
    long remoteCseq,
    Instant expires,
    @Nullable Object trigger,
    @Nullable Object told) {
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
  EventDialog takenOver() {
    return new EventDialog(
        key,
        user,
        events,
        event,
        remote,
        local,
        target,
        path,
        cseq + UNKNOWN_NOTIFIES,
        remoteCseq,
        expires,
        trigger,
        told);
  }

  EventDialog refreshed(String nextTarget, SipFlow nextFlow, long nextRemote, Instant until) {
    return new EventDialog(
        key,
        user,
        events,
        event,
        remote,
        local,
        nextTarget,
        path.by(nextFlow),
        cseq,
        nextRemote,
        until,
        null,
        null);
  }

  EventDialog looked(Object seen) {
    return new EventDialog(
        key,
        user,
        events,
        event,
        remote,
        local,
        target,
        path,
        cseq,
        remoteCseq,
        expires,
        seen,
        told);
  }

  EventDialog notified(@Nullable Object state) {
    return new EventDialog(
        key,
        user,
        events,
        event,
        remote,
        local,
        target,
        path,
        cseq + 1,
        remoteCseq,
        expires,
        trigger,
        state);
  }
}
