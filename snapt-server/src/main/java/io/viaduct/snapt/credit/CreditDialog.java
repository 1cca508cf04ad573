package io.viaduct.snapt.credit;

import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The requests of one session and their answers: one request is unanswered at a time. It knows
/// whether billing can be asked. Owned by the session's event loop.
final class CreditDialog {
  private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(10);

  /// Most applications of one request; the others come with the next.
  private static final int APPLICATIONS_MAX = 64;

  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long AFTER_FAILURE_NS = TimeUnit.SECONDS.toNanos(1);

  private final String session;
  private final CreditLine line;
  private final Quotas quotas;
  private boolean isOpen;
  private boolean isUnable;
  private boolean isAnswered; // since the stream opened
  private boolean isAsking;
  private long number;
  private long askedNs;
  private long againNs;
  private @Nullable ShownToken told;
  private int turn; // quota with which the next request begins

  /// @param quotas of the session; requests tell their use
  CreditDialog(String session, CreditLine line, Quotas quotas, boolean isOpen, long nowNs) {
    this.session = session;
    this.line = line;
    this.quotas = quotas;
    this.isOpen = isOpen;
    againNs = nowNs;
  }

  /// Notes that the stream has opened or closed: the next request names its token again.
  void line(boolean opened, long nowNs) {
    isOpen = opened;
    isAsking = false;
    isUnable = false;
    isAnswered = false;
    told = null;
    againNs = nowNs;
    quotas.lost();
  }

  /// Returns whether an answer to a request may be expected.
  boolean isPromising() {
    return isOpen && !isUnable;
  }

  /// Returns whether billing has not answered on this stream, or not for a second: the failure
  /// handling of the classes decides. A bridge of the version before opens no stream for long.
  boolean isAway(long nowNs) {
    return !isPromising() || !isAnswered || isAsking && nowNs - askedNs >= SILENCE_NS;
  }

  /// Returns the time at which the last request left, in ns of the loop's clock.
  long askedNs() {
    return askedNs;
  }

  /// Returns whether a request may leave now.
  boolean mayAsk(long nowNs) {
    if (isAsking && nowNs - askedNs >= ANSWER_NS) {
      failed(nowNs); // the request or its answer is lost
    }
    return isOpen && !isAsking && nowNs - againNs >= 0;
  }

  /// Asks no more before this time.
  void waitUntil(long untilNs) {
    againNs = untilNs;
  }

  /// Sends a request. TERMINATION awaits no answer.
  ///
  /// @param totalMs length of all intervals of the session so far
  void ask(CreditRequestType type, ShownToken token, long totalMs, long nowNs) {
    CreditRequest.Builder request =
        CreditRequest.newBuilder()
            .setSessionId(session)
            .setAccount(token.content().getAccount())
            .setNumber(++number)
            .setType(number == 1 ? CreditRequestType.INITIAL : type)
            .setTotalMs(totalMs);
    if (token != told) {
      request.setToken(token.signed());
      told = token;
    }
    turn = quotas.tell(request, APPLICATIONS_MAX, turn);
    isAsking = true;
    askedNs = nowNs;
    line.ask(request.build());
  }

  /// Returns whether billing has granted or refused credit with this answer. An answer to an
  /// earlier request is ignored. If billing cannot answer, the request is repeated after a second.
  boolean takes(CreditAnswer answer, long nowNs) {
    boolean isPush = answer.getNumber() == 0;
    if (!isPush && (!isAsking || answer.getNumber() != number)) {
      return false;
    }
    isAsking &= isPush;
    return switch (answer.getResult()) {
      case UNABLE_TO_DELIVER, CREDIT_RESULT_UNSPECIFIED, UNRECOGNIZED -> {
        failed(nowNs);
        yield false;
      }
      case REQUEST_REFUSED -> {
        quotas.answered();
        refused(nowNs);
        yield false;
      }
      case SUCCESS,
          CREDIT_LIMIT_REACHED,
          SPENDING_CAP_REACHED,
          ACCOUNT_BLOCKED,
          UNKNOWN_ACCOUNT -> {
        if (!isPush) {
          quotas.answered();
        }
        isUnable = false;
        isAnswered = true;
        againNs = nowNs;
        yield true;
      }
    };
  }

  // Billing is there and grants nothing, so what has no quota is held. Were it taken for one that
  // is away, a device could have its traffic carried for nothing by a request that is never valid.
  private void refused(long nowNs) {
    isUnable = false;
    isAnswered = true;
    told = null;
    againNs = nowNs + AFTER_FAILURE_NS;
  }

  // Billing may not know what the request told, so the next one tells it again.
  private void failed(long nowNs) {
    quotas.lost();
    isAsking = false;
    isUnable = true;
    told = null;
    againNs = nowNs + AFTER_FAILURE_NS;
  }

  /// Returns whether anything was ever asked, so that billing knows the session.
  boolean hasAsked() {
    return number > 0;
  }
}
