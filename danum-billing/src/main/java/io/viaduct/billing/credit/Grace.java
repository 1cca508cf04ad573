package io.viaduct.billing.credit;

import io.viaduct.billing.rating.Use;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Use that is kept for an application of low delay: it goes on for this long when its account has
/// no credit for a further grant, so that a call is not cut in the middle of a word. The use is
/// reserved beforehand, so the account goes no further below its limit by it.
///
/// @param kept use that is reserved and not granted yet; none while there is no grace
/// @param endsAt end of the grace; null until it begins
/// @param from total of the application's bytes at its begin
/// @param to total of the bytes that it has granted last; `from` if it has granted nothing
record Grace(Use kept, @Nullable Instant endsAt, long from, long to) {
  static final Grace NONE = new Grace(Use.NONE, null, 0, 0);

  /// Returns whether there is one that has not begun, or not ended.
  boolean isThere(Instant now) {
    return kept.bytes() > 0 && (endsAt == null || now.isBefore(endsAt));
  }

  /// Returns true once it has begun.
  boolean hasBegun() {
    return endsAt != null;
  }

  /// Returns a grace that has not begun. What an earlier one has granted is remembered for the
  /// reports of its use.
  Grace keeping(Use use) {
    return new Grace(use, null, from, to);
  }

  /// Returns the grace after a SNAPT has told its use: what was granted and not used is kept again.
  ///
  /// @param allowed total that the application might reach
  Grace returning(Use allowed, Use used) {
    if (!hasBegun()) {
      return this;
    }
    Use rest =
        new Use(
            Math.max(0, allowed.bytes() - used.bytes()),
            Math.max(0, allowed.flowMs() - used.flowMs()),
            Math.max(0, allowed.intervalMs() - used.intervalMs()));
    boolean isKnown = allowed.flowMs() < Use.UNKNOWN_MS && allowed.intervalMs() < Use.UNKNOWN_MS;
    return new Grace(isKnown ? kept.plus(rest) : kept, endsAt, from, Math.min(to, used.bytes()));
  }

  /// Returns the grace after it has granted a part of what is kept.
  ///
  /// @param allowed total of the bytes that the application might use before
  /// @param covered total of the bytes that posted reports cover
  Grace granting(Use part, long allowed, long covered, Instant now) {
    Instant end = endsAt == null ? now.plusMillis(kept.intervalMs()) : endsAt;
    return new Grace(
        new Use(
            kept.bytes() - part.bytes(),
            kept.flowMs() - part.flowMs(),
            kept.intervalMs() - part.intervalMs()),
        end,
        endsAt == null && to <= covered ? allowed : from,
        allowed + part.bytes());
  }

  /// Returns whether bytes between two totals were granted by it.
  boolean granted(long after, long upTo) {
    return after < to && upTo > from;
  }
}
