package io.viaduct.bridge.subscription;

import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.subscription.UnsentEndings.Ending;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipRequest;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Sends the NOTIFYs of one notifier, and follows their outcome. Thread-safe.
public final class NotifySender {
  /// Most last NOTIFYs that one tick of the clock sends again, four of which make a second.
  private static final int PER_TICK_MAX = 1_000;

  private final SubscriptionTable<?> table;
  private final SipMeters meters;
  private final InstantSource clock;
  private final UnsentEndings unsent = new UnsentEndings();
  private volatile @Nullable RequestSender endpoint;

  public NotifySender(SubscriptionTable<?> table, SipMeters meters, InstantSource clock) {
    this.table = table;
    this.meters = meters;
    this.clock = clock;
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

  /// Sends the last NOTIFY of a subscription that was removed. If the endpoint has too many
  /// requests without an answer to send it, [#onClock] sends it again.
  public void end(SubscriptionDialog dialog, SipRequest notify) {
    end(new Ending(dialog, notify, clock.instant().plus(UnsentEndings.KEPT)));
  }

  private void end(Ending ending) {
    RequestSender out = endpoint;
    if (out == null) {
      return;
    }
    var unused =
        out.send(ending.last(), ending.dialog().path().flow())
            .whenComplete((response, failure) -> {
              if (isNotSent(failure)) {
                keep(ending);
              } else {
                boolean delivered = response != null && response.isSuccess();
                meters.count(delivered ? SipMeters.Event.NOTIFIED : SipMeters.Event.NOTIFY_FAILED);
              }
            });
  }

  private void keep(Ending ending) {
    if (clock.instant().isAfter(ending.until())) {
      meters.count(SipMeters.LostEnding.TOO_LATE);
    } else if (!unsent.offer(ending)) {
      meters.count(SipMeters.LostEnding.NO_PLACE);
    }
  }

  /// Sends last NOTIFYs again that were not sent. Called on one thread.
  public void onClock() {
    unsent.take(PER_TICK_MAX).forEach(this::end);
  }

  /// Returns whether a NOTIFY has not left, here or at the bridge that has the flow, because too
  /// many requests wait for an answer.
  private static boolean isNotSent(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof SipException refused
        && refused.reason() == SipException.Reason.OVERLOAD;
  }
}
