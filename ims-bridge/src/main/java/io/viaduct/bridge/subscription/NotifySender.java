package io.viaduct.bridge.subscription;

import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipRequest;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Sends the NOTIFYs of one notifier, and follows their outcome. Thread-safe.
public final class NotifySender {
  private final SubscriptionTable<?> table;
  private final SipMeters meters;
  private volatile @Nullable RequestSender endpoint;

  public NotifySender(SubscriptionTable<?> table, SipMeters meters) {
    this.table = table;
    this.meters = meters;
  }

  /// Sets the endpoint that NOTIFYs are sent through.
  public void attach(RequestSender opened) {
    endpoint = opened;
  }

  /// Returns the endpoint, null before there is one. Then no NOTIFY can be sent.
  public @Nullable RequestSender endpoint() {
    return endpoint;
  }

  /// Sends a NOTIFY. If it fails, the subscription ends; if the endpoint has too many requests
  /// without an answer to send it, it is due again.
  public void send(SubscriptionDialog dialog, SipRequest notify) {
    RequestSender out = endpoint;
    if (out == null) {
      return;
    }
    var unused =
        out.send(notify, dialog.path().flow())
            .whenComplete((response, failure) -> {
              boolean delivered = response != null && response.isSuccess();
              meters.count(delivered ? SipMeters.Event.NOTIFIED : SipMeters.Event.NOTIFY_FAILED);
              if (isNotSent(failure)) {
                table.notifyAgain(dialog);
              } else if (!delivered) {
                table.forget(dialog);
              }
            });
  }

  /// Returns whether a NOTIFY has not left, here or at the bridge that has the flow, because too
  /// many requests wait for an answer.
  private static boolean isNotSent(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof SipException refused
        && refused.reason() == SipException.Reason.OVERLOAD;
  }
}
