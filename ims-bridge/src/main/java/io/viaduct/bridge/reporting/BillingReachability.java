package io.viaduct.bridge.reporting;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.HandshakeFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tracks whether billing answers, by the result of every submission. Each change is logged once.
/// Thread-safe.
public final class BillingReachability {
  private static final Logger LOG = LoggerFactory.getLogger(BillingReachability.class);

  /// An empty submission is sent if billing has not been heard for this long.
  private static final Duration ASK_AFTER = Duration.ofSeconds(5);

  /// The same while billing does not answer: shorter, so that its return is noticed soon.
  private static final Duration ASK_AGAIN_AFTER = Duration.ofSeconds(1);

  /// The bridge becomes not ready after this outage. A restart of billing or a lost packet takes
  /// less.
  private static final Duration TOLERATED = Duration.ofSeconds(5);

  /// While billing is away, a new reason is logged at most this often.
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

  private static final String PART = "billing";

  /// The state of billing as far as the bridge knows.
  public enum State {
    /// It has neither answered nor failed since the bridge started.
    NOT_YET_KNOWN,
    ANSWERS,
    AWAY
  }

  private final String peer;
  private final InstantSource clock;
  private State state = State.NOT_YET_KNOWN;
  private boolean answeredOnce;
  private String cause = "it has not answered yet";
  private String loggedCause = "";
  private Instant loggedAt = Instant.EPOCH; // time of the last log line about a failure
  private Instant heard; // time of the last answer or failure
  private Instant awaySince;

  /// @param peer host and port of billing
  public BillingReachability(String peer, InstantSource clock) {
    this.peer = peer;
    this.clock = clock;
    this.heard = Instant.MIN;
    this.awaySince = Instant.MIN;
  }

  public synchronized State state() {
    return state;
  }

  /// Returns whether billing answers now.
  synchronized boolean answers() {
    return state == State.ANSWERS;
  }

  /// Returns whether an empty submission is due, and if so starts the next interval.
  synchronized boolean isToBeAsked() {
    Instant now = clock.instant();
    Duration pause = state == State.ANSWERS ? ASK_AFTER : ASK_AGAIN_AFTER;
    if (!heard.equals(Instant.MIN) && now.isBefore(heard.plus(pause))) {
      return false;
    }
    heard = now;
    return true;
  }

  synchronized void answered() {
    heard = clock.instant();
    if (state != State.ANSWERS) {
      LOG.info("billing at {} answers{}", peer, answeredOnce ? " again" : "");
    }
    state = State.ANSWERS;
    answeredOnce = true;
  }

  synchronized void failed(StatusRuntimeException failure) {
    heard = clock.instant();
    cause = describe(failure);
    if (state != State.AWAY) {
      awaySince = answeredOnce ? heard : Instant.MIN;
    }
    boolean isNewCause =
        !cause.equals(loggedCause) && !heard.isBefore(loggedAt.plus(BETWEEN_LINES));
    if (state != State.AWAY || isNewCause) {
      loggedAt = heard;
      loggedCause = cause;
      LOG.warn("billing at {} does not answer, reports are deferred: {}", peer, cause);
    }
    state = State.AWAY;
  }

  /// Sets the readiness of the process by whether billing is reachable.
  public synchronized void show(Readiness readiness) {
    boolean tolerated =
        state == State.ANSWERS
            || answeredOnce && clock.instant().isBefore(awaySince.plus(TOLERATED));
    if (tolerated) {
      readiness.cleared(PART);
    } else {
      readiness.obstructed(PART, peer + ": " + cause);
    }
  }

  // Returns the status and its root cause: "UNAVAILABLE: io exception" alone does not name the
  // cause.
  private static String describe(StatusRuntimeException failure) {
    Status status = failure.getStatus();
    if (status.getCause() == null) {
      // gRPC's description of an exceeded deadline is only a number of nanoseconds, which does not
      // help.
      return status.getCode() == Status.Code.DEADLINE_EXCEEDED || status.getDescription() == null
          ? status.getCode().name()
          : status.getCode() + ": " + status.getDescription();
    }
    return status.getCode() + ": " + HandshakeFailure.reason(failure);
  }
}
