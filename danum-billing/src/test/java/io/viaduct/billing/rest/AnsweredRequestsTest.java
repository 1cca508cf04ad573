package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Answers that are repeated for their key, on the real database.
class AnsweredRequestsTest {
  // Long before the requests of other tests, which are not to be forgotten.
  private static final Instant OLD = Instant.parse("2001-01-01T00:00:00Z");

  private final AtomicInteger effects = new AtomicInteger();

  private static AnsweredRequests at(Instant now) {
    return new AnsweredRequests(SharedDatabase.client(), SharedDatabase.transaction(), () -> now);
  }

  private int decide(Instant now, String key) {
    AnsweredRequests.Request request =
        new AnsweredRequests.Request(
            key, new Caller("olga", Role.OPERATOR, Instant.MAX, null, false), "accept 5", "{}");
    return at(now).once(request, Integer.class, effects::incrementAndGet);
  }

  @Test
  void anAnswerIsRepeatedForItsKeyUntilItIsForgotten() {
    String key = UUID.randomUUID().toString();
    assertThat(decide(OLD, key)).isEqualTo(1);
    at(OLD).forget(OLD);
    assertThat(decide(OLD, key)).as("not older than that").isEqualTo(1);
    at(OLD).forget(OLD.plusMillis(1));
    assertThat(decide(OLD, key)).isEqualTo(2);
    at(OLD).forget(OLD.plusMillis(1));
  }

  @Test
  void allOldAnswersAreForgottenInSeveralStatementsAndNoYoungOne() {
    String run = UUID.randomUUID().toString();
    int old = 2 * AnsweredRequests.FORGOTTEN_AT_ONCE + 7;
    SharedDatabase.jdbc()
        .update(
            "insert into answered_request (idempotency_key, digest, answer, answered_at)"
                + " select ? || n, decode(repeat('00', 32), 'hex'), '{}', ?::timestamptz"
                + " from generate_series(1, ?) n",
            run,
            OLD.toString(),
            old);
    String young = run + "-young";
    Instant later = OLD.plus(Duration.ofDays(30));
    assertThat(decide(later, young)).isEqualTo(1);
    at(later).forget(later);
    assertThat(left(run)).isEqualTo(1);
    assertThat(decide(later, young)).as("it is repeated still").isEqualTo(1);
    at(later).forget(later.plusMillis(1));
    assertThat(left(run)).isZero();
  }

  private static int left(String run) {
    return SharedDatabase.client()
        .sql("select count(*) from answered_request where idempotency_key like ? || '%'")
        .param(run)
        .query(Integer.class)
        .single();
  }
}
