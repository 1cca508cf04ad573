package io.viaduct.bridge.snapts;

import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.usage.v1.Directory;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SignedDirectory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Signs the directory that SNAPTs carry to devices: a SNAPT may compete with the others, so
/// devices believe what the bridge has signed. A directory is signed when it changes, and again
/// when it is so old that a device would soon refuse it. Thread-safe.
final class SignedDirectories {
  /// Age at which a directory is signed again: a third of what a device accepts.
  static final Duration RENEWED_AFTER = Duration.ofSeconds(20);

  /// Most SNAPTs of a directory, so that a control message holds it.
  static final int ENTRIES_MAX = 128;

  private final TokenIssuer tokens;
  private final InstantSource clock;
  private List<DirectoryEntry> entries = List.of();
  private @Nullable SignedDirectory signed;
  private long version;

  SignedDirectories(TokenIssuer tokens, InstantSource clock) {
    this.tokens = tokens;
    this.clock = clock;
  }

  /// Returns the signed form of a directory, the same object until it is signed again; empty if the
  /// directory is.
  ///
  /// @param now is not changed later
  synchronized Optional<SignedDirectory> of(List<DirectoryEntry> now) {
    if (now.isEmpty()) {
      return Optional.empty();
    }
    long nowMs = clock.millis();
    SignedDirectory known = signed;
    if (known == null || !now.equals(entries) || isOld(nowMs)) {
      version = Math.max(version + 1, nowMs);
      entries = now;
      known =
          tokens.sign(
              Directory.newBuilder()
                  .setVersion(version)
                  .addAllEntries(now.subList(0, Math.min(now.size(), ENTRIES_MAX)))
                  .build());
      signed = known;
    }
    return Optional.of(known);
  }

  private boolean isOld(long nowMs) {
    return nowMs - version >= RENEWED_AFTER.toMillis();
  }
}
