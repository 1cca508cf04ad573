package io.viaduct.billing.snapts;

import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.service.digest.Sha256;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores invitations of SNAPTs (ADR 0072). A SNAPT uses the code once: it hands in its report key
/// and its request for a certificate. With the same code, key and request it asks for the
/// certificate until an operator has given it. An enrolled SNAPT asks for its next certificate
/// without a code.
public final class Invitations {
  /// Time in which a code must be used.
  public static final Duration LIFETIME = Duration.ofHours(24);

  /// Time in which the certificate must be fetched, from the use of the code on.
  public static final Duration PATIENCE = Duration.ofDays(7);

  private static final String SELECT =
      "select snapt_id, owner, region, line_rate, made_at, made_by, expires_at, asked_at,"
          + " report_key, request, certificates is not null, renewal from snapt_invitation ";

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Snapts snapts;
  private final SecureRandom random = new SecureRandom();

  Invitations(JdbcClient jdbc, TransactionTemplate transaction, Snapts snapts) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.snapts = snapts;
  }

  /// The result of an attempt to join.
  public sealed interface Joined {
    /// The request is stored; an operator has to give the certificate.
    record Waiting() implements Joined {}

    /// @param certificates PEM, the SNAPT's first
    record Certified(String certificates) implements Joined {}

    /// The code is unknown, over, of another SNAPT, or used with other keys. Of a renewal: the
    /// SNAPT is not enrolled, or invited anew.
    record Refused() implements Joined {}
  }

  /// Invites a SNAPT, in place of an earlier invitation of the same id.
  ///
  /// @param wanted facts with any report key: the SNAPT names its own
  /// @param code a new secret, of which only the digest is stored
  /// @param by account of the operator
  /// @return the end of the code
  public Instant invite(SnaptFacts wanted, String code, String by, Instant now) {
    Instant expiresAt = now.plus(LIFETIME);
    transaction.executeWithoutResult(_ -> {
      jdbc.sql("delete from snapt_invitation where snapt_id = ? or expires_at <= ?")
          .param(wanted.id())
          .param(Timestamp.from(now))
          .update();
      jdbc.sql(
              "insert into snapt_invitation (snapt_id, code_digest, owner, region, line_rate,"
                  + " made_at, made_by, expires_at)"
                  + " values (:id, :digest, :owner, :region, :rate, :now, :by, :expires)")
          .param("id", wanted.id())
          .param("digest", Sha256.of(code))
          .param("owner", wanted.owner())
          .param("region", wanted.region())
          .param("rate", wanted.lineRate().orElse(null), Types.BIGINT)
          .param("now", Timestamp.from(now))
          .param("by", by)
          .param("expires", Timestamp.from(expiresAt))
          .update();
    });
    return expiresAt;
  }

  /// Uses a code, or asks again.
  ///
  /// @param reportKey raw Ed25519 key, 32 bytes
  /// @param request PKCS#10 as PEM
  public Joined join(String id, String code, byte[] reportKey, String request, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          // One statement, so that of two SNAPTs with one code one gets it.
          jdbc.sql(
                  "update snapt_invitation set asked_at = :now, expires_at = :until,"
                      + " report_key = :key, request = :request"
                      + " where code_digest = :digest and snapt_id = :id and asked_at is null"
                      + " and expires_at > :now")
              .param("now", Timestamp.from(now))
              .param("until", Timestamp.from(now.plus(PATIENCE)))
              .param("key", reportKey)
              .param("request", request)
              .param("digest", Sha256.of(code))
              .param("id", id)
              .update();
          return jdbc.sql(
                  "select coalesce(certificates, '') from snapt_invitation"
                      + " where code_digest = ? and snapt_id = ? and report_key = ?"
                      + " and request = ? and expires_at > ?")
              .params(Sha256.of(code), id, reportKey, request, Timestamp.from(now))
              .query(String.class)
              .optional()
              .map(found -> found.isEmpty() ? new Joined.Waiting() : new Joined.Certified(found))
              .orElse(new Joined.Refused());
        }));
  }

  /// Notes the request of an enrolled SNAPT for its next certificate, or gives the certificate. The
  /// request stays as it was first made, because the key stays. An invitation that is not used up
  /// wins: the operator wants other keys.
  ///
  /// @param request PKCS#10 as PEM
  public Joined renew(String id, String request, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          Snapt enrolled = snapts.find(id).orElse(null);
          if (enrolled == null) {
            return new Joined.Refused();
          }
          byte[] nobodysCode = new byte[32];
          random.nextBytes(nobodysCode);
          jdbc.sql(
                  "delete from snapt_invitation where snapt_id = ?"
                      + " and (expires_at <= ? or certificates is not null and not renewal)")
              .params(id, Timestamp.from(now))
              .update();
          jdbc.sql(
                  "insert into snapt_invitation (snapt_id, code_digest, owner, region, line_rate,"
                      + " made_at, made_by, expires_at, asked_at, report_key, request, renewal)"
                      + " values (:id, :digest, :owner, :region, :rate, :now, :id, :until, :now,"
                      + " :key, :request, true) on conflict (snapt_id) do nothing")
              .param("id", id)
              .param("digest", Sha256.of(nobodysCode))
              .param("owner", enrolled.facts().owner())
              .param("region", enrolled.facts().region())
              .param("rate", enrolled.facts().lineRate().orElse(null), Types.BIGINT)
              .param("now", Timestamp.from(now))
              .param("until", Timestamp.from(now.plus(PATIENCE)))
              .param("key", Base64.getDecoder().decode(enrolled.facts().reportKey()))
              .param("request", request)
              .update();
          return jdbc.sql(
                  "select coalesce(certificates, '') from snapt_invitation"
                      + " where snapt_id = ? and renewal")
              .param(id)
              .query(String.class)
              .optional()
              .map(found -> found.isEmpty() ? new Joined.Waiting() : new Joined.Certified(found))
              .orElse(new Joined.Refused());
        }));
  }

  /// Returns the invitation of a SNAPT, unless it is over.
  public Optional<Invitation> find(String id, Instant now) {
    return jdbc.sql(SELECT + "where snapt_id = ? and expires_at > ?")
        .param(id)
        .param(Timestamp.from(now))
        .query((row, _) -> read(row))
        .optional();
  }

  /// Gives a SNAPT its certificate, and enrols it with the keys of its request. With a renewal its
  /// enrolment stays.
  ///
  /// @param certificates PEM, the SNAPT's first
  /// @param key SHA-256 of the SubjectPublicKeyInfo of the SNAPT's
  /// @param by account of the operator
  /// @return empty if no request of this SNAPT waits
  /// @throws SnaptRefusedException if the certificate of a renewal has another key than before
  public Optional<Invitation> certify(
      String id, String certificates, byte[] key, String by, Instant now) {
    return transaction.execute(_ -> {
      int waiting =
          jdbc.sql(
                  "update snapt_invitation set certificates = ?"
                      + " where snapt_id = ? and asked_at is not null and expires_at > ?")
              .params(certificates, id, Timestamp.from(now))
              .update();
      if (waiting == 0) {
        return Optional.<Invitation>empty();
      }
      Invitation invited = find(id, now).orElseThrow();
      if (invited.isRenewal()) {
        snapts.requireKey(id, key);
        snapts.pin(id, key);
        return Optional.of(invited);
      }
      snapts.put(
          new SnaptFacts(
              id,
              Objects.requireNonNull(invited.request()).reportKey(),
              invited.owner(),
              invited.region(),
              invited.lineRate()),
          snapts.find(id).map(Snapt::version).orElse(null),
          by,
          now);
      snapts.pin(id, key);
      return Optional.of(invited);
    });
  }

  private static Invitation read(ResultSet row) throws SQLException {
    long rate = row.getLong(4);
    Timestamp askedAt = row.getTimestamp(8);
    return new Invitation(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        rate == 0 ? Optional.empty() : Optional.of(rate),
        row.getTimestamp(5).toInstant(),
        row.getString(6),
        row.getTimestamp(7).toInstant(),
        askedAt == null
            ? null
            : new Invitation.Request(
                askedAt.toInstant(),
                Base64.getEncoder().encodeToString(row.getBytes(9)),
                row.getString(10)),
        row.getBoolean(11),
        row.getBoolean(12));
  }
}
