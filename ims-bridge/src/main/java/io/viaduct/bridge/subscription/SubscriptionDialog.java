package io.viaduct.bridge.subscription;

import io.viaduct.bridge.core.DialogPath;
import io.viaduct.bridge.replication.FlowText;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.usage.v1.ReplicaDialog;
import java.time.Duration;
import java.time.Instant;

/// The dialog of one subscription at the notifier's end (RFC 6665 section 4.2). Immutable.
///
/// @param event value of the Event header of the first SUBSCRIBE, which each NOTIFY repeats
/// @param remote From of the SUBSCRIBE with its tag: To of our NOTIFYs
/// @param local To of the SUBSCRIBE with our tag: From of our NOTIFYs
/// @param target Contact of the subscriber
/// @param path way to the subscriber
/// @param cseq of our last NOTIFY
/// @param remoteCseq of the last SUBSCRIBE
public record SubscriptionDialog(
    DialogKey key,
    String user,
    String event,
    String remote,
    String local,
    String target,
    DialogPath path,
    long cseq,
    long remoteCseq,
    Instant expires) {
  /// The last NOTIFYs of another bridge may be unknown here.
  private static final int UNKNOWN_NOTIFIES = 16;

  /// Returns the dialog that a first SUBSCRIBE opens.
  public static SubscriptionDialog open(
      SubscribeRequest subscribe, String event, String target, DialogPath path, Instant until) {
    SipRequest message = subscribe.message();
    String tag = SipEndpoint.token();
    return new SubscriptionDialog(
        new DialogKey(message.callId(), tag, message.from().tag()),
        subscribe.user(),
        event,
        message.headers().require("From"),
        message.headers().require("To") + ";tag=" + tag,
        target,
        path,
        0,
        message.cseq().number(),
        until);
  }

  /// Returns the dialog as this bridge takes it over from another one.
  SubscriptionDialog takenOver() {
    return with(cseq + UNKNOWN_NOTIFIES);
  }

  /// Returns the dialog with the number of its next NOTIFY.
  public SubscriptionDialog notified() {
    return with(cseq + 1);
  }

  private SubscriptionDialog with(long nextCseq) {
    return new SubscriptionDialog(
        key, user, event, remote, local, target, path, nextCseq, remoteCseq, expires);
  }

  /// Returns the dialog after another SUBSCRIBE in it.
  public SubscriptionDialog refreshed(
      SubscribeRequest subscribe, String nextTarget, SipFlow nextFlow, Instant until) {
    return new SubscriptionDialog(
        key,
        user,
        event,
        remote,
        local,
        nextTarget,
        path.by(nextFlow),
        cseq,
        subscribe.message().cseq().number(),
        until);
  }

  /// Returns a NOTIFY of a subscription that goes on.
  public SipRequest active(Instant now) {
    long left = Math.max(1, Duration.between(now, expires).toSeconds());
    return notify("active;expires=" + left);
  }

  /// Returns the last NOTIFY.
  ///
  /// @param reason of RFC 6665 section 4.2.2
  public SipRequest terminated(String reason) {
    return notify("terminated;reason=" + reason);
  }

  private SipRequest notify(String state) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", local)
            .with("To", remote)
            .with("Call-ID", key.callId())
            .with("CSeq", cseq + " NOTIFY")
            .with("Event", event)
            .with("Subscription-State", state);
    return new SipRequest("NOTIFY", target, path.routed(headers));
  }

  /// Writes the dialog as bridges tell it to each other.
  ///
  /// @param self name of this bridge
  public ReplicaDialog write(String self) {
    return ReplicaDialog.newBuilder()
        .setFlow(FlowText.write(path.flow(), self))
        .addAllRoutes(path.routes())
        .setContact(path.contact())
        .setUser(user)
        .setCallId(key.callId())
        .setLocalTag(key.localTag())
        .setRemoteTag(key.remoteTag())
        .setEvent(event)
        .setRemote(remote)
        .setLocal(local)
        .setTarget(target)
        .setCseq(cseq)
        .setRemoteCseq(remoteCseq)
        .setExpiresMs(expires.toEpochMilli())
        .build();
  }

  /// Reads a dialog of another bridge.
  ///
  /// @param self name of this bridge
  /// @throws IllegalArgumentException if it has no flow
  public static SubscriptionDialog read(ReplicaDialog text, String self) {
    return new SubscriptionDialog(
        new DialogKey(text.getCallId(), text.getLocalTag(), text.getRemoteTag()),
        text.getUser(),
        text.getEvent(),
        text.getRemote(),
        text.getLocal(),
        text.getTarget(),
        new DialogPath(
            FlowText.read(text.getFlow(), self), text.getRoutesList(), text.getContact()),
        text.getCseq(),
        text.getRemoteCseq(),
        Instant.ofEpochMilli(text.getExpiresMs()));
  }
}
