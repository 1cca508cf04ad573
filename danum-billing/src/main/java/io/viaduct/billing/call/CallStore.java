package io.viaduct.billing.call;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.CallPrice;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores calls and their requests. The caller holds the lock of the account's credit.
final class CallStore {
  /// A call.
  ///
  /// @param isTerminated true if its node has ended it, whatever had ended it before
  /// @param told seconds of all its requests
  record Call(
      long id,
      String originHost,
      String session,
      String account,
      CallPrice price,
      int tariffVersion,
      Instant startedAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy,
      boolean isTerminated,
      long told) {
    /// Returns true if a request is granted nothing: the node has ended the call, or ends it after
    /// it was refused further seconds. Another call goes on with its next request: its telephone
    /// may have rung for longer than its time, or there may be credit again.
    boolean isOverFor(CallRequest.Kind kind) {
      return isTerminated || REFUSAL.equals(endedBy) && kind == CallRequest.Kind.TERMINATION;
    }
  }

  /// The charge and the answer of a request.
  record Answered(
      long number,
      Instant at,
      long seconds,
      MicroDenarii amount,
      @Nullable Long charge,
      @Nullable Long transaction,
      CallAnswer answer) {}

  static final String TERMINATION = "TERMINATION";
  static final String REFUSAL = "REFUSAL";
  static final String LAPSE = "LAPSE";

  /// Most places of media of one call: two ends, RTP and RTCP of some streams, and changes of them.
  private static final int PLACES_MAX = 64;

  private static final String SELECT =
      "select c.*, coalesce((select sum(seconds) from call_request r where r.call_id = c.id), 0)::bigint"
          + " as told from call_session c where ";

  private final JdbcClient jdbc;

  CallStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  Optional<Call> find(String originHost, String session) {
    return jdbc.sql(SELECT + "origin_host = ? and session_id = ?")
        .param(originHost)
        .param(session)
        .query((row, _) -> call(row))
        .optional();
  }

  /// Returns calls whose time is over.
  List<Call> lapsed(Instant now, int limit) {
    return jdbc.sql(SELECT + "ended_at is null and valid_until < ? order by valid_until limit ?")
        .param(Timestamp.from(now))
        .param(limit)
        .query((row, _) -> call(row))
        .list();
  }

  /// Returns true if a call is open and its time is over.
  boolean isLapsed(long call, Instant now) {
    return jdbc.sql("select ended_at is null and valid_until < ? from call_session where id = ?")
        .param(Timestamp.from(now))
        .param(call)
        .query(Boolean.class)
        .single();
  }

  private static Call call(ResultSet row) throws SQLException {
    Timestamp ended = row.getTimestamp("ended_at");
    return new Call(
        row.getLong("id"),
        row.getString("origin_host"),
        row.getString("session_id"),
        row.getString("account"),
        new CallPrice(new MicroDenarii(row.getLong("microdenarii_per_second"))),
        row.getInt("tariff_version"),
        row.getTimestamp("started_at").toInstant(),
        ended == null ? null : ended.toInstant(),
        row.getString("ended_by"),
        row.getBoolean("is_terminated") || TERMINATION.equals(row.getString("ended_by")),
        row.getLong("told"));
  }

  /// Opens a call.
  ///
  /// @throws org.springframework.dao.DuplicateKeyException if it is open already
  long open(
      CallRequest request,
      String account,
      int tariffVersion,
      CallPrice price,
      int voiceKbitPerSecond,
      Instant now) {
    return jdbc.sql(
            """
            insert into call_session (origin_host, session_id, account, tariff_version, microdenarii_per_second,
              started_at, valid_until, voice_kbit_per_second)
            values (:host, :session, :account, :version, :price, :now, :now, :voice) returning id
            """)
        .param("host", request.originHost())
        .param("session", request.session())
        .param("account", account)
        .param("version", tariffVersion)
        .param("price", price.perSecond().value())
        .param("now", Timestamp.from(now))
        .param("voice", voiceKbitPerSecond)
        .query(Long.class)
        .single();
  }

  /// Adds where the media of a call comes from. Places above the limit of a call are left out.
  void described(long call, Set<MediaPlace> media) {
    for (MediaPlace place : media) {
      jdbc.sql(
              "insert into call_media select :call, :address, :port"
                  + " where (select count(*) from call_media where call_id = :call) < :most"
                  + " on conflict do nothing")
          .param("call", call)
          .param("address", place.address())
          .param("port", place.port())
          .param("most", PLACES_MAX)
          .update();
    }
  }

  /// Returns the answer that a request was given before.
  Optional<CallAnswer> answer(long call, long number) {
    return jdbc.sql(
            "select outcome, granted_seconds, last_grant from call_request"
                + " where call_id = ? and number = ?")
        .param(call)
        .param(number)
        .query((row, _) ->
            new CallAnswer(
                CallOutcome.valueOf(row.getString(1)), row.getLong(2), row.getBoolean(3), true))
        .optional();
  }

  void answered(long call, Answered request) {
    jdbc.sql("insert into call_request values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .param(call)
        .param(request.number())
        .param(Timestamp.from(request.at()))
        .param(request.seconds())
        .param(request.amount().value())
        .param(request.charge())
        .param(request.transaction())
        .param(request.answer().outcome().name())
        .param(request.answer().grantedSeconds())
        .param(request.answer().isLast())
        .update();
  }

  /// Stores the end of the last grant. The call goes on if its time was over.
  void goesOn(long call, Instant validUntil) {
    jdbc.sql(
            "update call_session set valid_until = ?, ended_at = null, ended_by = null where id = ?")
        .param(Timestamp.from(validUntil))
        .param(call)
        .update();
  }

  /// Ends a call for good. Further seconds that were refused stay the reason of its end.
  void terminated(long call, Instant at) {
    jdbc.sql(
            """
            update call_session set is_terminated = true,
              ended_at = case when ended_by = 'REFUSAL' then ended_at else :at end,
              ended_by = case when ended_by = 'REFUSAL' then ended_by else 'TERMINATION' end
            where id = :call
            """)
        .param("at", Timestamp.from(at))
        .param("call", call)
        .update();
  }

  void ended(long call, String by, Instant at) {
    jdbc.sql("update call_session set ended_at = ?, ended_by = ? where id = ?")
        .param(Timestamp.from(at))
        .param(by)
        .param(call)
        .update();
  }
}
