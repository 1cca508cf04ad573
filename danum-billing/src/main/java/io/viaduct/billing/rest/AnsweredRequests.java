package io.viaduct.billing.rest;

import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.service.digest.Sha256;
import java.security.MessageDigest;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/// Answers a request with an idempotency key once, and repeats the answer. For requests whose
/// effect happens at most once by its nature, such as a decision: if billing stops between effect
/// and answer, the repeated request is told that the decision was made.
final class AnsweredRequests {
  /// Time between two runs of [#forget].
  static final Duration PERIOD = Duration.ofMinutes(1);

  /// Most rows of one statement of [#forget], so that it holds no lock for long.
  static final int FORGOTTEN_AT_ONCE = 1000;

  private static final JsonMapper JSON = JsonMapper.shared();

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final InstantSource clock;

  AnsweredRequests(JdbcClient jdbc, TransactionTemplate transaction, InstantSource clock) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.clock = clock;
  }

  /// Digest that tells two requests with one key apart.
  ///
  /// @param action method and path
  /// @param body the body; its text must contain all that was sent
  record Request(@Nullable String key, Caller caller, String action, Object body) {
    byte[] digest() {
      String text = caller.account() + "\n" + action + "\n" + JSON.writeValueAsString(body);
      return Sha256.of(text);
    }
  }

  private record Answered(byte[] digest, String answer) {}

  /// Returns the earlier answer to this request, or answers it.
  ///
  /// @param type type of the answer, which JSON must carry without loss
  /// @throws ProblemException if the key was used for another request
  <T> T once(Request request, Class<T> type, Supplier<T> answering) {
    T known = known(request, type);
    if (known != null) {
      return known;
    }
    T answer = answering.get();
    if (request.key() == null) {
      return answer;
    }
    jdbc.sql(
            "insert into answered_request (idempotency_key, digest, answer, answered_at)"
                + " values (:key, :digest, :answer::jsonb, :now) on conflict do nothing")
        .param("key", request.key())
        .param("digest", request.digest())
        .param("answer", JSON.writeValueAsString(answer))
        .param("now", Timestamp.from(clock.instant()))
        .update();
    return answer;
  }

  /// Returns the earlier answer to this request; null if there is none.
  ///
  /// @throws ProblemException if the key was used for another request, or breaks its rule
  <T> @Nullable T known(Request request, Class<T> type) {
    if (request.key() == null) {
      return null;
    }
    String key = PostedMoney.key(request.key());
    Optional<Answered> known = find(key);
    if (known.isEmpty()) {
      return null;
    }
    if (!MessageDigest.isEqual(known.get().digest(), request.digest())) {
      throw PostedMoney.reused(key, "request");
    }
    return JSON.readValue(known.get().answer(), type);
  }

  /// Answers like [#once], but in one transaction, for an effect that could happen again. It must
  /// tell nobody before the commit.
  <T> T onceTogether(Request request, Class<T> type, Supplier<T> answering) {
    return transaction.execute(_ -> {
      if (request.key() != null) {
        jdbc.sql("select pg_advisory_xact_lock(hashtextextended(?, 0))")
            .param(request.key())
            .query(_ -> {});
      }
      return once(request, type, answering);
    });
  }

  /// Forgets the answers that were given before a time. A repeated request is then a new one.
  void forget(Instant before) {
    int forgotten;
    do {
      forgotten =
          jdbc.sql(
                  """
                  delete from answered_request where idempotency_key in
                    (select idempotency_key from answered_request where answered_at < ?
                      order by answered_at limit ? for update skip locked)
                  """)
              .param(Timestamp.from(before))
              .param(FORGOTTEN_AT_ONCE)
              .update();
    } while (forgotten == FORGOTTEN_AT_ONCE);
  }

  private Optional<Answered> find(String key) {
    return jdbc.sql("select digest, answer from answered_request where idempotency_key = ?")
        .param(key)
        .query((row, _) -> new Answered(row.getBytes(1), row.getString(2)))
        .optional();
  }
}
