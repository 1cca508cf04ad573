package io.viaduct.snapt.group;

import io.grpc.stub.StreamObserver;
import io.viaduct.service.operations.Tally;
import io.viaduct.usage.v1.OutcomeAnswer;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The hand-overs of this SNAPT from the intent, which is on the disk before the member hears of it,
/// to the outcome:
///
///     noted ──INSTALLED──────────────▶ taken      the stay replaces the intent in one write
///       │ ───REFUSED─────────────────▶ not taken  the intent is forgotten
///       └ ───unclear end, restart──▶ asking ──the member's answer──▶ taken or not taken
///
/// A member that does not answer is asked again, after 250 ms at first, doubled to 5 s, until it
/// does. Owner: the group's thread.
final class Intents {
  private static final Logger LOG = LoggerFactory.getLogger(Intents.class);
  private static final long AGAIN_MS_MIN = 250;
  private static final long AGAIN_MS_MAX = 5_000;

  private final MovedAddresses addresses;
  private final GroupSettings settings;
  private final Members members;
  private final Returns returns;
  private final ScheduledExecutorService thread;
  private final Tally<OutcomeOfAsking> asked;

  /// Hears of the outcome, on the group's thread.
  interface Settled {
    /// @param isLed false if the route or the record is not set yet; it is tried again
    void taken(boolean isLed);

    void notTaken();
  }

  /// @param thread the group's thread
  Intents(
      MovedAddresses addresses,
      GroupSettings settings,
      Members members,
      Returns returns,
      ScheduledExecutorService thread,
      GroupCounts counts) {
    this.addresses = addresses;
    this.settings = settings;
    this.members = members;
    this.returns = returns;
    this.thread = thread;
    this.asked = counts.asked();
  }

  /// Records an intent; the member may hear of it when this returns.
  ///
  /// @throws IOException if it cannot be written
  void note(Intent intent) throws IOException {
    addresses.intend(intent);
  }

  /// Notes that the member has the session.
  void taken(Intent intent, Settled settled) {
    GroupSettings.Member to = settings.member(intent.to()).orElseThrow();
    boolean isLed = returns.gone(intent.address(), to);
    returns.settleLater(intent.address());
    settled.taken(isLed);
  }

  /// Notes that the member does not have the session.
  void notTaken(Intent intent, Settled settled) {
    try {
      addresses.forget(intent);
      settled.notTaken();
    } catch (IOException e) {
      LOG.error("the end of {} is not written: {}", intent, e.getMessage());
      later(AGAIN_MS_MAX, () -> notTaken(intent, settled));
    }
  }

  /// Asks the member for the outcome until it answers.
  void ask(Intent intent, Settled settled) {
    ask(intent, settled, AGAIN_MS_MIN);
  }

  private void ask(Intent intent, Settled settled, long againMs) {
    if (settings.member(intent.to()).isEmpty()) {
      LOG.warn("{} is not asked for: it is no member any more", intent);
      asked.count(OutcomeOfAsking.NO_MEMBER);
      notTaken(intent, settled);
      return;
    }
    members.outcome(
        intent,
        new StreamObserver<>() {
          private @Nullable OutcomeAnswer heard; // one call of gRPC at a time

          @Override
          public void onNext(OutcomeAnswer answer) {
            heard = answer;
          }

          @Override
          public void onError(Throwable why) {
            asked.count(OutcomeOfAsking.UNREACHABLE);
            later(againMs, () -> ask(intent, settled, Math.min(2 * againMs, AGAIN_MS_MAX)));
          }

          @Override
          public void onCompleted() {
            OutcomeAnswer answer = heard;
            if (answer == null) {
              onError(new IOException("no answer"));
            } else {
              later(0, () -> answered(intent, answer.getTaken(), settled));
            }
          }
        });
  }

  private void answered(Intent intent, boolean isTaken, Settled settled) {
    LOG.info("{} {}", intent, isTaken ? "was taken" : "was not taken");
    if (isTaken) {
      taken(intent, settled);
    } else {
      notTaken(intent, settled);
    }
    asked.count(isTaken ? OutcomeOfAsking.TAKEN : OutcomeOfAsking.NOT_TAKEN);
  }

  /// Asks for the outcomes that the process before has not heard. Then an address is with the
  /// member, or free.
  void askAll() {
    for (Intent each : addresses.intents()) {
      ask(
          each,
          new Settled() {
            @Override
            public void taken(boolean isLed) {}

            @Override
            public void notTaken() {
              returns.leave(each.address());
            }
          });
    }
  }

  private void later(long delayMs, Runnable work) {
    try {
      var unused = thread.schedule(work, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // this SNAPT stops: its next start asks
    }
  }
}
