package io.viaduct.service.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// Holds one token bucket per key. A bucket starts full. A key that is not used until its bucket is
/// full again is removed. If the table is full, the least used keys are removed, so that a flood of
/// new keys does not displace the busy ones. Thread-safe.
///
/// @param <K> the limited party, e.g. a [SourceNetwork]
public final class TokenBuckets<K> {
  private final int burst;
  private final Duration perToken;
  private final TimeMeter time;
  private final Cache<K, Bucket> buckets;

  /// @param burst tokens of a full bucket, at least 1
  /// @param perToken time to refill one token
  /// @param keys most keys in the table
  public TokenBuckets(int burst, Duration perToken, int keys, InstantSource clock) {
    if (burst < 1 || !perToken.isPositive() || keys < 1) {
      throw new IllegalArgumentException(
          "need burst, time per token and keys > 0, got %d, %s, %d"
              .formatted(burst, perToken, keys));
    }
    this.burst = burst;
    this.perToken = perToken;
    this.time = new Meter(clock);
    this.buckets =
        Caffeine.newBuilder()
            .maximumSize(keys)
            .expireAfterAccess(perToken.multipliedBy(burst))
            .ticker(time::currentTimeNanos)
            .executor(Runnable::run)
            .build();
  }

  private record Meter(InstantSource clock) implements TimeMeter {
    @Override
    public long currentTimeNanos() {
      return TimeUnit.MILLISECONDS.toNanos(clock.millis());
    }

    @Override
    public boolean isWallClockBased() {
      return true;
    }
  }

  /// Takes a token.
  ///
  /// @return false if the bucket is empty
  public boolean take(K key) {
    return bucket(key).tryConsume(1);
  }

  /// Returns the tokens that a key may take now; 0 while its bucket is empty.
  public long available(K key) {
    return Math.max(0, bucket(key).getAvailableTokens());
  }

  /// Returns how long a key has to wait for its next token; zero if there is one.
  public Duration untilNext(K key) {
    return Duration.ofNanos(bucket(key).estimateAbilityToConsume(1).getNanosToWaitForRefill());
  }

  /// Takes the next token in advance, even if it is available only later.
  ///
  /// @return time until the token is available; negative if that is longer than `longest`: then no
  ///   token is taken
  public Duration takeNext(K key, Duration longest) {
    Bucket bucket = bucket(key);
    long waitNs = bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill();
    if (waitNs == 0 && bucket.tryConsume(1)) {
      return Duration.ZERO;
    }
    waitNs = bucket.consumeIgnoringRateLimits(1);
    if (waitNs > longest.toNanos()) {
      bucket.addTokens(1);
      return Duration.ofNanos(-1);
    }
    return Duration.ofNanos(waitNs);
  }

  /// Returns a taken token to the bucket.
  public void giveBack(K key) {
    bucket(key).addTokens(1);
  }

  /// Fills the bucket of a key.
  public void fill(K key) {
    bucket(key).reset();
  }

  private Bucket bucket(K key) {
    return Objects.requireNonNull(buckets.get(key, _ -> full()));
  }

  private Bucket full() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(burst).refillGreedy(burst, perToken.multipliedBy(burst)))
        .withCustomTimePrecision(time)
        .build();
  }
}
