package io.viaduct.bridge.reporting;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.viaduct.service.operations.Readiness;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Knows whether billing answers, by every submission and its result, and says each change once.
/// Thread-safe.
public final class BillingReachability {
  private static final Logger LOG = LoggerFactory.getLogger(BillingReachability.class);

  /// A submission without reports is sent if billing has said nothing for this long.
  private static final Duration ASK_AFTER = Duration.ofSeconds(5);

  /// The same while billing does not answer, so that its return is seen soon.
  private static final Duration ASK_AGAIN_AFTER = Duration.ofSeconds(1);

  /// Readiness falls after this: a restart of billing or one lost packet is shorter.
  private static final Duration TOLERATED = Duration.ofSeconds(5);

  private static final String PART = "billing";

  /// What is known of billing.
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
  private Status.Code code = Status.Code.OK;
  private Instant heard; // the last answer or failure
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

  /// Whether it is time to ask billing without having reports for it; then the next time is later.
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
    code = Status.Code.OK;
  }

  synchronized void failed(StatusRuntimeException failure) {
    heard = clock.instant();
    cause = words(failure);
    if (state != State.AWAY) {
      awaySince = answeredOnce ? heard : Instant.MIN;
    }
    if (state != State.AWAY || failure.getStatus().getCode() != code) {
      LOG.warn("billing at {} does not answer, reports are deferred: {}", peer, cause);
    }
    state = State.AWAY;
    code = failure.getStatus().getCode();
  }

  /// Shows in the readiness of the process whether billing can be had.
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

  // The status, and what is at its root: "UNAVAILABLE: io exception" says neither.
  private static String words(StatusRuntimeException failure) {
    Status status = failure.getStatus();
    Throwable root = status.getCause();
    if (root == null) {
      // How many nanoseconds a deadline was passed by is of no use.
      return status.getCode() == Status.Code.DEADLINE_EXCEEDED || status.getDescription() == null
          ? status.getCode().name()
          : status.getCode() + ": " + status.getDescription();
    }
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return status.getCode() + ": " + (root.getMessage() == null ? root : root.getMessage());
  }
}
