package io.viaduct.diameter.message;

import java.util.concurrent.atomic.AtomicLong;

/// Gives Session-Ids that no node has given before (RFC 6733 section 8.8): host; seconds of the
/// start; a number that counts. Thread-safe.
public final class SessionIds {
  private final String host;
  private final long startSeconds;
  private final AtomicLong next = new AtomicLong();

  /// @param host Origin-Host
  /// @param startSeconds Unix seconds of the start, greater than those of earlier starts
  public SessionIds(String host, long startSeconds) {
    this.host = host;
    this.startSeconds = startSeconds;
  }

  /// Returns a new Session-Id.
  ///
  /// @param suffix text that helps people, such as the id of the tunnel's session; may be empty
  public String take(String suffix) {
    String id = host + ";" + startSeconds + ";" + next.getAndIncrement();
    return suffix.isEmpty() ? id : id + ";" + suffix;
  }
}
