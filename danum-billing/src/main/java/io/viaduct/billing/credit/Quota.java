package io.viaduct.billing.credit;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Use;
import java.time.Instant;

/// The quota of one application of one session. It has three totals since the start of the session.
/// The part that is allowed and not covered is reserved at the highest price: the unused grant, and
/// the use that is not charged yet.
///
/// @param used total that the SNAPT has told
/// @param allowed total that the application may reach; never below `used`
/// @param covered total of the posted reports
/// @param bytesPerSecond present rate, as told
/// @param flows open flows, as told
/// @param beyond the last bytes that passed without a grant
/// @param grace use that is kept for a grace
/// @param reserved amount reserved for it, the grace included
/// @param validUntil when the unused part of the grant is released
/// @param isCut true if credit was short: it got less than it needs
record Quota(
    SessionKey session,
    Application application,
    Use used,
    Use allowed,
    Use covered,
    double bytesPerSecond,
    long flows,
    Beyond beyond,
    Grace grace,
    MicroDenarii reserved,
    Instant validUntil,
    boolean isCut) {

  /// Bytes of the session that passed without a grant, because billing was away: those between two
  /// totals.
  record Beyond(long from, long to) {
    static final Beyond NOTHING = new Beyond(0, 0);
  }

  /// Bytes that are carried while the first quota is asked for.
  private static final long FIRST_BYTES = 65_536;

  /// Returns a quota of nothing, for an application that asks for the first time.
  ///
  /// @param covered total of the reports that were posted before
  static Quota first(SessionKey session, Application application, Use covered, Instant now) {
    return new Quota(
        session,
        application,
        Use.NONE,
        Use.NONE,
        covered,
        0,
        0,
        Beyond.NOTHING,
        Grace.NONE,
        MicroDenarii.ZERO,
        now,
        false);
  }

  /// Returns the quota after the SNAPT has told its use. The rest of the grant is released. Flows
  /// that are refused have no rate, so a rate that was told before falls by half only.
  Quota told(UsedByApplication told, Bound price) {
    return new Quota(
            session,
            application,
            told.used(),
            told.used(),
            covered,
            isCut ? Math.max(told.bytesPerSecond(), bytesPerSecond / 2) : told.bytesPerSecond(),
            told.flows(),
            passedWithout(told),
            grace.returning(allowed, told.used()),
            reserved,
            validUntil,
            isCut)
        .priced(price);
  }

  // For a second an application is carried while its quota is asked for.
  private Beyond passedWithout(UsedByApplication told) {
    long most = allowed.bytes() + FIRST_BYTES + (long) told.bytesPerSecond();
    if (told.used().bytes() <= most) {
      return beyond;
    }
    return new Beyond(
        beyond.to() > covered.bytes() ? beyond.from() : allowed.bytes(), told.used().bytes());
  }

  /// Returns the rule that let the traffic of a report of so many bytes more pass.
  PassRule passed(long bytes) {
    if (beyond(bytes) > 0) {
      return PassRule.BEYOND_QUOTA;
    }
    return grace.granted(covered.bytes(), covered.bytes() + bytes)
        ? PassRule.GRACE
        : PassRule.QUOTA;
  }

  /// Returns the bytes of a report of so many bytes more that no quota had allowed.
  long beyond(long bytes) {
    long total = covered.bytes() + bytes;
    long away = Math.min(total, beyond.to()) - Math.max(covered.bytes(), beyond.from());
    long further = total - Math.max(covered.bytes(), allowed.bytes());
    return Math.max(0, away) + Math.max(0, further);
  }

  /// Returns the quota without the rest of its grant, and without a grace.
  Quota released(Bound price) {
    return keeping(Use.NONE, price).allowing(used, validUntil, false).priced(price);
  }

  /// Returns the quota with a use that is kept for a grace.
  Quota keeping(Use use, Bound price) {
    return with(grace.keeping(use)).priced(price);
  }

  /// Returns the quota with a part of its grace granted. What is reserved stays the same.
  Quota grantedByGrace(Use part, Instant now, Instant until) {
    return with(grace.granting(part, allowed.bytes(), covered.bytes(), now))
        .allowing(allowed.plus(part), until, true);
  }

  private Quota with(Grace next) {
    return new Quota(
        session,
        application,
        used,
        allowed,
        covered,
        bytesPerSecond,
        flows,
        beyond,
        next,
        reserved,
        validUntil,
        isCut);
  }

  /// Returns the quota with a grant beside what is allowed already. It is never taken back: the
  /// SNAPT may have used it since.
  Quota granted(Use extra, Instant until, boolean cut, Bound price) {
    return allowing(allowed.plus(extra), until, cut).priced(price);
  }

  /// Returns the quota marked as cut: it gets nothing now.
  Quota cut(Instant until) {
    return allowing(allowed, until.isAfter(validUntil) ? until : validUntil, true);
  }

  /// Returns the quota after a report that covers more of its use was posted.
  Quota covered(Use more, Bound price) {
    return new Quota(
            session,
            application,
            used,
            allowed,
            covered.plus(more),
            bytesPerSecond,
            flows,
            beyond,
            grace,
            reserved,
            validUntil,
            isCut)
        .priced(price);
  }

  private Quota allowing(Use total, Instant until, boolean cut) {
    return new Quota(
        session,
        application,
        used,
        total,
        covered,
        bytesPerSecond,
        flows,
        beyond,
        grace,
        reserved,
        until,
        cut);
  }

  private Quota priced(Bound price) {
    return new Quota(
        session,
        application,
        used,
        allowed,
        covered,
        bytesPerSecond,
        flows,
        beyond,
        grace,
        price.charge(allowed.beyond(covered).plus(grace.kept())),
        validUntil,
        isCut);
  }

  /// Returns whether everything that was told is charged, and nothing is allowed beyond it.
  boolean isSpent() {
    return reserved.value() == 0 && !hasRest() && flows == 0;
  }

  /// Returns true if the application was refused and has open flows: it waits for credit.
  boolean isWaiting() {
    return isCut && flows > 0 && !hasRest();
  }

  /// Returns true if the application may go on.
  boolean hasRest() {
    return allowed.bytes() > used.bytes();
  }
}
